import { beforeEach, describe, expect, it } from 'vitest';
import { createKeyServer } from './key-server.ts';
import { PlayerError } from './player-error.ts';
import { createFakeKeyServer, type FakeKeyServer, keyUrl } from './testing/fake-key-server.ts';

let fake: FakeKeyServer;
beforeEach(() => {
  fake = createFakeKeyServer();
});

it('a failed callback is a transient error, unless it throws a final PlayerError', async () => {
  const failing = (error: Error) =>
    createKeyServer({ ...fake.options, keyServerAuth: () => Promise.reject(error) }).send({
      url: keyUrl(1),
      reason: 'key',
    });
  await expect(failing(new Error('offline'))).rejects.toMatchObject({
    code: 'AUTH_FAILED',
    isTransient: true,
    message: 'keyServerAuth failed: offline',
  });
  const final = new PlayerError('UNAUTHENTICATED', 'signed out');
  await expect(failing(final)).rejects.toBe(final);
  expect(fake.requests).toEqual([]);
});

it('a callback without a token in time is a transient error, and nothing is sent', async () => {
  const keyServerAuth = () => new Promise<string>(() => {});
  const asked = createKeyServer({ ...fake.options, keyServerAuth }).send({ url: keyUrl(1), reason: 'key' });
  asked.catch(() => {});
  await fake.clock.advance(8_000);
  await expect(asked).rejects.toMatchObject({
    code: 'AUTH_FAILED',
    isTransient: true,
    message: 'keyServerAuth gave no token within 8000 ms.',
  });
  expect(fake.requests).toEqual([]);
});

it.each(['lk_0123…', 'two\nlines'])(
  'a token that no header can carry (%j) is a final UNAUTHENTICATED',
  async (token) => {
    const server = createKeyServer({ ...fake.options, keyServerAuth: () => token });
    const error = await server.send({ url: keyUrl(1), reason: 'key' }).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'UNAUTHENTICATED', isTransient: false });
    expect([error.cause, error.message.includes(token)]).toEqual([undefined, false]);
    expect(fake.requests).toEqual([]);
  },
);

it('an empty token sends no Authorization', async () => {
  await createKeyServer({ ...fake.options, keyServerAuth: () => '' }).send({ url: keyUrl(1), reason: 'key' });
  expect(fake.requests[0]?.token).toBeNull();
});

describe('a callback that gives something else than a token', () => {
  it.each([
    [{ token: 'secret' }, 'an object'],
    [['secret'], 'an array'],
    [() => 'secret', 'a function'],
  ])('a callback that returns %o ends playback with AUTH_FAILED before any request', async (given, kind) => {
    for (const keyServerAuth of [() => given, async () => given]) {
      const server = createKeyServer({ ...fake.options, keyServerAuth: keyServerAuth as never });
      const error = await server.send({ url: keyUrl(1), reason: 'key' }).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(PlayerError);
      expect(error).toMatchObject({ code: 'AUTH_FAILED', isTransient: false });
      expect(error.message).toContain(`keyServerAuth gave ${kind}.`);
      expect(error.message).not.toContain('secret');
    }
    expect(fake.requests).toEqual([]);
  });

  it('a player without a callback is refused at once', () => {
    for (const keyServerAuth of [undefined, 'token'])
      expect(() => createKeyServer({ ...fake.options, keyServerAuth: keyServerAuth as never })).toThrow(
        TypeError,
      );
  });

  it('the error of a callback that throws has its message, whatever it throws', async () => {
    for (const [thrown, words] of [
      [new TypeError('x is not a function'), 'x is not a function'],
      ['signed out', 'signed out'],
      [undefined, 'undefined'],
    ]) {
      const keyServerAuth = () => {
        throw thrown;
      };
      const asked = createKeyServer({ ...fake.options, keyServerAuth }).send({
        url: keyUrl(1),
        reason: 'key',
      });
      await expect(asked).rejects.toMatchObject({
        code: 'AUTH_FAILED',
        message: `keyServerAuth failed: ${words}`,
      });
    }
  });
});
