import { beforeEach, describe, expect, it } from 'vitest';
import {
  createFakeKeyServer,
  type FakeKeyServer,
  keyUrl,
  problem,
  unreachable,
} from './key-server.fixture.ts';
import { type Attempt, createKeyServer } from './key-server.ts';
import { settle } from './manual-clock.fixture.ts';
import { PlayerError } from './player-error.ts';
import type { KeyServerOptions } from './player-options.ts';

let fake: FakeKeyServer;
beforeEach(() => {
  fake = createFakeKeyServer();
});
const ask = (more = {}) => createKeyServer(fake.options).send({ url: keyUrl(3), reason: 'key', ...more });

it('each request carries a token that was asked for just then', async () => {
  const server = createKeyServer(fake.options);
  await server.send({ url: keyUrl(1), reason: 'key', leaseId: 'lease-1' });
  await server.send({ url: server.url('/keys/leases'), reason: 'lease', json: { contentId: 'film' } });
  expect(fake.asked).toEqual(['key', 'lease']);
  expect(fake.requests).toMatchObject([
    { method: 'GET', path: '/keys/film/1', token: 'Bearer token-1', leaseId: 'lease-1' },
    {
      method: 'POST',
      path: '/keys/leases',
      token: 'Bearer token-2',
      leaseId: null,
      json: { contentId: 'film' },
    },
  ]);
});

it('leaves the browser’s cache of preflights alone, so that not each request is preceded by another', async () => {
  const inits: (RequestInit | undefined)[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    inits.push(init);
    return fake.options.fetch?.(url, init) ?? unreachable();
  };
  await createKeyServer({ ...fake.options, fetch }).send({ url: keyUrl(3), reason: 'key' });
  expect(inits.map((init) => init?.cache)).toEqual([undefined]);
});

it('after a 401 the application is asked once more, and its new token is used', async () => {
  fake.answer('GET', ({ token }) =>
    token === 'Bearer token-1' ? problem(401, 'INVALID_TOKEN') : new Response(new Uint8Array(16)),
  );
  expect((await ask()).byteLength).toBe(16);
  expect(fake.asked).toEqual(['key', 'retry-after-401']);
});

it('a second 401 is final', async () => {
  fake.answer('GET', () => problem(401, 'INVALID_TOKEN', { requestId: 'r1' }));
  const error = await ask().catch((thrown) => thrown);
  expect(error).toMatchObject({
    code: 'UNAUTHENTICATED',
    serverCode: 'INVALID_TOKEN',
    status: 401,
    requestId: 'r1',
    isTransient: false,
  });
  expect(fake.requests).toHaveLength(2);
});

it.each([
  [403, 'LEASE_REVOKED', 'LEASE_REVOKED', false],
  [403, 'TOKEN_REVOKED', 'TOKEN_REVOKED', false],
  [404, 'CONTENT_NOT_FOUND', 'CONTENT_NOT_FOUND', false],
  [400, 'VALIDATION_FAILED', 'REFUSED', false],
  [429, 'RATE_LIMITED', 'RATE_LIMITED', true],
  [503, 'DEPENDENCY_UNAVAILABLE', 'NETWORK', true],
  [502, '', 'NETWORK', true],
])('a %d %s is %s; it may pass: %s', async (status, serverCode, code, isTransient) => {
  fake.answer('GET', () => problem(status, serverCode));
  await expect(ask()).rejects.toMatchObject({ name: 'PlayerError', code, status, isTransient });
});

it.each([
  ['5', 5_000],
  ['Sat, 21 Nov 2026 12:00:31 GMT', 30_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
  ['soon', 0],
  ['', 0],
])('the Retry-After %j of an answer asks for a wait of %d ms', async (retryAfter, retryAfterMs) => {
  fake.answer('GET', () => new Response('', { status: 503, headers: { 'Retry-After': retryAfter } }));
  await expect(ask()).rejects.toMatchObject({ code: 'NETWORK', retryAfterMs });
});

it('an answer that is no problem document is understood by its status', async () => {
  fake.answer(
    'GET',
    () => new Response('<h1>Forbidden</h1>', { status: 403, headers: { 'Retry-After': '9' } }),
  );
  await expect(ask()).rejects.toMatchObject({ code: 'REFUSED', retryAfterMs: 9_000 });
});

it('a server that cannot be reached or does not answer is NETWORK, and each attempt is told', async () => {
  const attempts: Attempt[] = [];
  const onAttempt = (attempt: Attempt) => attempts.push(attempt);
  const gone = fake.answer('GET', unreachable);
  await expect(ask({ onAttempt })).rejects.toMatchObject({ code: 'NETWORK', isTransient: true });
  gone.restore();
  fake.answer('GET', () => new Promise(() => {}));
  const silent = ask({ onAttempt });
  silent.catch(() => {});
  await fake.clock.advance(8_000);
  await expect(silent).rejects.toMatchObject({ code: 'NETWORK', isTransient: true });
  expect(attempts).toEqual([
    { status: 0, durationMs: 0 },
    { status: 0, durationMs: 8_000 },
  ]);
});

it('a callback that fails may do better later, unless it says that it will not', async () => {
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

it('a callback that gives no token in time has failed for now, and nothing was sent', async () => {
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
  'a token that no header can carry (%j) is told for what it is, and is final',
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

describe('a page that is left', () => {
  const leave = ({ keyServerAuth = fake.options.keyServerAuth, ...more }: Partial<KeyServerOptions> = {}) => {
    const server = createKeyServer({ ...fake.options, ...more, keyServerAuth });
    return {
      server,
      sendNow: () => server.sendNow({ url: server.url('/keys/leases/revoke'), reason: 'lease', json: {} }),
    };
  };
  const sent = () => fake.to('POST').map(({ token, keepalive }) => [token, keepalive]);

  it('sends at once with a token that is at hand, or the last one', async () => {
    const { server, sendNow } = leave();
    await server.send({ url: keyUrl(1), reason: 'key' });
    sendNow();
    expect(sent()).toEqual([['Bearer token-1', true]]);
    leave({ keyServerAuth: () => 'at-hand' }).sendNow();
    expect(sent()).toEqual([
      ['Bearer token-1', true],
      ['Bearer at-hand', true],
    ]);
    await settle();
    expect(sent()).toHaveLength(2);
  });

  it('and has no token yet sends as soon as there is one', async () => {
    await leave().sendNow();
    expect(sent()).toEqual([['Bearer token-1', true]]);
  });

  it('sends again with the token that the callback gives, where the last one is not accepted any more', async () => {
    fake.answer('POST', ({ token }) =>
      token === 'Bearer token-1' ? problem(401, 'INVALID_TOKEN') : Response.json({ revoked: 1 }),
    );
    const { server, sendNow } = leave();
    await server.send({ url: keyUrl(1), reason: 'key' });
    await sendNow();
    expect(sent()).toEqual([
      ['Bearer token-1', true],
      ['Bearer token-2', true],
    ]);
  });

  it('sends nothing that is not a token, and does not fail', async () => {
    for (const given of [undefined, null, 5, {}, 'two\nlines'])
      await leave({ keyServerAuth: () => given as string }).sendNow();
    await leave({ keyServerAuth: () => Promise.reject(new Error('offline')) }).sendNow();
    expect(fake.requests).toEqual([]);
  });
});

describe('a token that expires while a lease is held', () => {
  const jwt = (claims: object) => `x.${btoa(JSON.stringify(claims))}.y`;
  const nowSeconds = () => fake.clock.wallNow() / 1_000;

  it('is replaced before it does, so that a page that is closed has one that is valid', async () => {
    let asked = 0;
    const keyServerAuth = async () => {
      asked += 1;
      return jwt({ iat: nowSeconds(), exp: nowSeconds() + 60 });
    };
    const server = createKeyServer({ ...fake.options, keyServerAuth });
    await server.send({ url: keyUrl(1), reason: 'key' });
    await fake.clock.advance(600_000);
    expect(asked).toBe(1);
    server.keepTokenFresh(true);
    await fake.clock.advance(600_000);
    const whileHeld = asked - 1;
    expect(whileHeld).toBeGreaterThanOrEqual(600 / 60);
    expect(whileHeld).toBeLessThanOrEqual(600 / 40);
    server.keepTokenFresh(false);
    await fake.clock.advance(600_000);
    expect(asked - 1).toBe(whileHeld);
  });

  it.each([
    ['a day ahead', 86_400],
    ['a day behind', -86_400],
  ])('is replaced at the pace of its life where the clock is %s', async (_, wrongBySeconds) => {
    let asked = 0;
    const keyServerAuth = async () => {
      asked += 1;
      return jwt({ iat: nowSeconds() - wrongBySeconds, exp: nowSeconds() - wrongBySeconds + 60 });
    };
    const server = createKeyServer({ ...fake.options, keyServerAuth });
    server.keepTokenFresh(true);
    await server.token('lease');
    await fake.clock.advance(600_000);
    expect(asked).toBeGreaterThanOrEqual(600 / 60);
    expect(asked).toBeLessThanOrEqual(1 + 600 / 40);
  });

  it('is not asked for in a storm: not where it never expires, nor where it always has', async () => {
    for (const claims of [{}, { exp: 9e12 }, { iat: 5, exp: 5 }, { iat: 9, exp: 5 }, { exp: 1 }]) {
      let asked = 0;
      const keyServerAuth = async () => {
        asked += 1;
        return jwt(claims);
      };
      const server = createKeyServer({ ...fake.options, keyServerAuth });
      server.keepTokenFresh(true);
      await server.token('lease');
      await fake.clock.advance(10_000);
      server.keepTokenFresh(false);
      expect(asked).toBeLessThanOrEqual(11);
    }
  });
});

describe('a callback that gives something else than a token', () => {
  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [42, 'a number'],
    [{ token: 'secret' }, 'an object'],
    [['secret'], 'an array'],
    [() => 'secret', 'a function'],
  ])('such as %o ends playback with AUTH_FAILED before any request', async (given, kind) => {
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

  it('and a player without a callback is refused at once', () => {
    for (const keyServerAuth of [undefined, 'token'])
      expect(() => createKeyServer({ ...fake.options, keyServerAuth: keyServerAuth as never })).toThrow(
        TypeError,
      );
  });

  it('or that throws fails with its own words, whatever it throws', async () => {
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
