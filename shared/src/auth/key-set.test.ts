import { generateKeyPairSync } from 'node:crypto';
import { makeIssuerKey } from '@latchkey/support/tokens';
import { beforeEach, describe, expect, test } from 'vitest';
import { serveHttp } from '../testing/serve-http.ts';
import { stopTime } from '../testing/stop-time.ts';
import { fetchKeySet } from './create-tokens.ts';
import { createKeySetScene, makeIssuerKeys, minuteMs, outOfReach } from './key-set.fixture.ts';
import { keepFreshEveryMs } from './key-set.ts';

const [first, second] = await makeIssuerKeys();
let issuer: ReturnType<typeof createKeySetScene>;
let clock: typeof issuer.clock;
let keySet: typeof issuer.keySet;
let verify: typeof issuer.verify;
let tokenOf: typeof issuer.tokenOf;
let letPass: typeof issuer.letPass;
let accepted: typeof issuer.accepted;
let refused: typeof issuer.refused;
let unknowable: typeof issuer.unknowable;

beforeEach(() => {
  issuer = createKeySetScene(first);
  ({ clock, keySet, verify, tokenOf, letPass, accepted, refused, unknowable } = issuer);
});

describe('a key set that can be reached', () => {
  test('a key set is fetched once for many tokens, also for many at once', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => tokenOf(first, `viewer-${i}`)));
    await Promise.all(tokens.map(accepted));
    expect(issuer.fetches).toBe(1);
  });

  test('a key that was withdrawn is refused within 5 minutes, though its tokens were remembered and no request waits', async () => {
    const token = await tokenOf(first);
    await accepted(token);
    issuer.published = [second.jwk];
    await letPass(4 * minuteMs);
    await accepted(token);
    await letPass(keepFreshEveryMs);
    await refused(token);
    clock.advance(5_000);
    await refused(await tokenOf(first, 'bob'));
  });

  test('a token that is verified while the set loses its key is not remembered', async () => {
    const token = await tokenOf(first);
    await keySet.keepFresh();
    issuer.published = [second.jwk];
    // Both begin now; the set has changed once the signature of the token is checked.
    clock.advance(5 * minuteMs);
    await Promise.all([verify(token), keySet.keepFresh()]);
    await refused(token);
  });

  test('a kid that is published while the set is being fetched is found by another fetch', async () => {
    await accepted(await tokenOf(first));
    clock.advance(5 * minuteMs);
    const { promise, resolve } = Promise.withResolvers<void>();
    issuer.answering = promise;
    const refreshing = keySet.keepFresh();
    const before = issuer.published;
    issuer.published = [first.jwk, second.jwk];
    const judged = accepted(await tokenOf(second));
    issuer.published = before;
    resolve();
    await refreshing;
    issuer.published = [first.jwk, second.jwk];
    await judged;
    expect(issuer.fetches).toBe(3);
  });

  test('a withdrawn key is accepted no more where a token with a new kid brought the new key set', async () => {
    const token = await tokenOf(first);
    await accepted(token);
    issuer.published = [second.jwk];
    await accepted(await tokenOf(second));
    await unknowable(token);
    clock.advance(5_000);
    await refused(token);
  });
});

describe('a key set that cannot be reached', () => {
  test('a key set that is unreachable from the start gives 503, and 200 within 5 seconds once it is reachable', async () => {
    issuer.published = outOfReach;
    const token = await tokenOf(first);
    await unknowable(token);
    issuer.published = [first.jwk];
    await unknowable(token);
    clock.advance(5_000);
    await accepted(token);
    expect(issuer.faults).toEqual([outOfReach]);
  });

  test('a key set that becomes unreachable is used for an hour, then tokens get 503', async () => {
    const token = await tokenOf(first);
    await accepted(token);
    issuer.published = outOfReach;
    clock.advance(60 * minuteMs);
    await accepted(token);
    await accepted(await tokenOf(first, 'bob'));
    clock.advance(1);
    await unknowable(token);
    issuer.published = [first.jwk];
    clock.advance(10_000);
    await accepted(token);
  });

  test('tokens with a known kid are verified without waiting, although no fetch of the key set ends', async () => {
    const token = await tokenOf(first);
    await accepted(token);
    issuer.answering = new Promise(() => {});
    for (let minute = 1; minute < 59; minute++) {
      clock.advance(minuteMs);
      void keySet.keepFresh();
      await accepted(token);
      await accepted(await tokenOf(first, `viewer-${minute}`));
    }
    expect(issuer.fetches).toBe(2);
  });

  test('while a fetch of the key set hangs, a flood of made-up kids delays no token with a known kid and starts no other fetch', async () => {
    await accepted(await tokenOf(first));
    clock.advance(minuteMs);
    issuer.answering = new Promise(() => {});
    for (let i = 0; i < 50; i++)
      void verify(await tokenOf(second, 'mallory', `made-up-${i}`)).catch(() => {});
    await accepted(await tokenOf(first, 'bob'));
    expect(issuer.fetches).toBe(2);
  });

  test('a flood of made-up kids does not keep the set from being fetched in the background', async () => {
    const token = await tokenOf(first);
    await accepted(token);
    issuer.published = outOfReach;
    clock.advance(3 * minuteMs);
    for (let i = 0; i < 50; i++) await unknowable(await tokenOf(second, 'mallory', `made-up-${i}`));
    const { length } = issuer.faults;
    issuer.published = [second.jwk];
    clock.advance(minuteMs + 1);
    await keySet.keepFresh();
    expect(issuer.faults).toHaveLength(length);
    await refused(token);
  });

  test.each([null, 'text', 7, [], {}, { keys: 'none' }, { keys: [7] }])(
    '%j is no key set: as if it could not be reached',
    async (garbage) => {
      issuer.published = garbage === null || Array.isArray(garbage) ? { garbage } : garbage;
      await unknowable(await tokenOf(first));
      expect(issuer.faults).toHaveLength(1);
    },
  );

  test('a malformed key set does not replace the last good one', async () => {
    const token = await tokenOf(first);
    await accepted(token);
    issuer.published = { keys: 'none' };
    clock.advance(6 * minuteMs);
    await accepted(token);
  });
});

describe('the keys of a set', () => {
  const { n: shortModulus } = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({
    format: 'jwk',
  });

  test.each<[string, object]>([
    ['it has 1024 bits, and RSA needs 2048', { kty: 'RSA', e: 'AQAB', n: shortModulus }],
    ['it is a certificate (x5c) alone, without n and e', { kty: 'RSA', alg: 'RS256', x5c: ['MIIB'] }],
    ['its members are missing or do not fit each other', { kty: 'RSA', e: 'AQAB' }],
    ['its curve (crv) is "P-999", not P-256', { kty: 'EC', crv: 'P-999', x: 'AA', y: 'AA' }],
    ['it is a private key, which must not be published: replace it', { ...first.jwk, d: 'AA' }],
    ['its algorithm is "ES384", not RS256, ES256, EdDSA, Ed25519', { ...first.jwk, alg: 'ES384' }],
    ['its type (kty) is "XX", not RSA, EC or OKP', { kty: 'XX' }],
  ])(
    'a key that cannot be used (%s) is reported once with this reason, its tokens are refused for it, and the other keys work',
    async (reason, unusable) => {
      issuer.published = [{ ...unusable, kid: 'odd' }, first.jwk];
      await accepted(await tokenOf(first));
      await expect(verify(await tokenOf(first, 'alice', 'odd'))).rejects.toMatchObject({
        code: 'INVALID_TOKEN',
        message: 'The token is not accepted. Its key in the key set cannot be used.',
      });
      issuer.published = [second.jwk, { ...unusable, kid: 'odd' }];
      await letPass(10 * minuteMs);
      expect(issuer.unusable).toEqual([`"odd": ${reason}`]);
    },
  );

  test('a token without a kid gets the same refusal where the only key that fits its alg cannot be used', async () => {
    issuer.published = [{ kty: 'EC', crv: 'P-999' }];
    await refused(await tokenOf(first, 'alice', null));
    expect(issuer.unusable).toEqual(['a key without kid: its curve (crv) is "P-999", not P-256']);
  });

  test('keys for encryption are not reported, and no token is verified with one', async () => {
    issuer.published = [{ ...first.jwk, use: 'enc' }];
    await refused(await tokenOf(first));
    expect(issuer.unusable).toEqual([]);
  });

  test('a report of keys that cannot be used names ten of them, and cuts names that are long', async () => {
    issuer.published = Array.from({ length: 12 }, (_, n) => ({ kty: 'XX', kid: `${n}${'x'.repeat(200)}` }));
    await keySet.keepFresh();
    expect(issuer.unusable[0]).toMatch(/; 2 more$/);
    expect(issuer.unusable[0]?.length).toBeLessThan(2_000);
  });

  test('a token whose kid several keys have, or that has none, is tried with each key that fits its alg, ten at most', async () => {
    const others = await Promise.all(Array.from({ length: 9 }, () => makeIssuerKey('ES256', 'first')));
    const unfit = await makeIssuerKey('EdDSA', 'first');
    issuer.published = [unfit, ...others, first].map(({ jwk }) => jwk);
    for (const kid of ['first', null]) {
      await accepted(await tokenOf(first, 'alice', kid));
      await refused(await tokenOf(second, 'alice', kid));
    }
    issuer.published = [...others, second, first].map(({ jwk }) => ({ ...jwk, kid: 'first' }));
    await letPass(5 * minuteMs);
    await refused(await tokenOf(first, 'bob'));
  });
});

describe('fetching', () => {
  beforeEach(() => void stopTime());
  async function answer(status: number, body: string, headers: Record<string, string> = {}) {
    const { url } = await serveHttp((_, response) => response.writeHead(status, headers).end(body));
    return fetchKeySet(url);
  }

  test('fetching a key set returns the JSON of a 200', async () =>
    expect(await answer(200, '{"keys":[]}')).toEqual({ keys: [] }));

  test('fetching a key set fails on another status, a redirect, malformed JSON and a body that is too large', async () => {
    await expect(answer(500, '{}')).rejects.toThrow('answered 500');
    await expect(answer(302, '', { location: 'http://127.0.0.1:9/' })).rejects.toThrow();
    await expect(answer(200, '<html>')).rejects.toThrow();
    await expect(answer(200, ' '.repeat(300_000))).rejects.toThrow('larger than');
  });
});
