import { beforeEach, describe, expect, it } from 'vitest';
import { createKeyServer } from './key-server.ts';
import type { KeyServerOptions } from './player-options.ts';
import { createFakeKeyServer, type FakeKeyServer, keyUrl, problem } from './testing/fake-key-server.ts';
import { settle } from './testing/manual-clock.ts';

let fake: FakeKeyServer;
beforeEach(() => {
  fake = createFakeKeyServer();
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

  it('a page that is left sends at once, with a token that the callback returns at once or with the last one', async () => {
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

  it('a page that is left without a token sends as soon as there is one', async () => {
    await leave().sendNow();
    expect(sent()).toEqual([['Bearer token-1', true]]);
  });

  it('a page that is left sends again with the callback’s token if the last one is no longer accepted', async () => {
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

  it('a page that is left does not send a value that is not a token, and does not fail', async () => {
    for (const given of [undefined, null, 5, {}, 'two\nlines'])
      await leave({ keyServerAuth: () => given as string }).sendNow();
    await leave({ keyServerAuth: () => Promise.reject(new Error('offline')) }).sendNow();
    expect(fake.requests).toEqual([]);
  });
});

describe('a token that expires while a lease is held', () => {
  const holder = {};
  const jwt = (claims: object) => `x.${btoa(JSON.stringify(claims))}.y`;
  const nowSeconds = () => fake.clock.wallNow() / 1_000;

  it('while a lease is held a token is replaced before it expires, so that a closing page has a valid one', async () => {
    let asked = 0;
    const keyServerAuth = async () => {
      asked += 1;
      return jwt({ iat: nowSeconds(), exp: nowSeconds() + 60 });
    };
    const server = createKeyServer({ ...fake.options, keyServerAuth });
    await server.send({ url: keyUrl(1), reason: 'key' });
    await fake.clock.advance(600_000);
    expect(asked).toBe(1);
    server.keepTokenFresh(holder, true);
    await fake.clock.advance(600_000);
    const whileHeld = asked - 1;
    expect(whileHeld).toBeGreaterThanOrEqual(600 / 60);
    expect(whileHeld).toBeLessThanOrEqual(600 / 40);
    server.keepTokenFresh(holder, false);
    await fake.clock.advance(600_000);
    expect(asked - 1).toBe(whileHeld);
  });

  it.each([
    ['a day ahead', 86_400],
    ['a day behind', -86_400],
  ])('a token is replaced by its life if the clock is %s', async (_, wrongBySeconds) => {
    let asked = 0;
    const keyServerAuth = async () => {
      asked += 1;
      return jwt({ iat: nowSeconds() - wrongBySeconds, exp: nowSeconds() - wrongBySeconds + 60 });
    };
    const server = createKeyServer({ ...fake.options, keyServerAuth });
    server.keepTokenFresh(holder, true);
    await server.token('lease');
    await fake.clock.advance(600_000);
    expect(asked).toBeGreaterThanOrEqual(600 / 60);
    expect(asked).toBeLessThanOrEqual(1 + 600 / 40);
  });

  it('a token that never expires, or always has, does not cause a storm of requests for another', async () => {
    for (const claims of [{}, { exp: 9e12 }, { iat: 5, exp: 5 }, { iat: 9, exp: 5 }, { exp: 1 }]) {
      let asked = 0;
      const keyServerAuth = async () => {
        asked += 1;
        return jwt(claims);
      };
      const server = createKeyServer({ ...fake.options, keyServerAuth });
      server.keepTokenFresh(holder, true);
      await server.token('lease');
      await fake.clock.advance(10_000);
      server.keepTokenFresh(holder, false);
      expect(asked).toBeLessThanOrEqual(11);
    }
  });
});
