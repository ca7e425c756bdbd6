import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type IssuerKey, makeIssuerKey } from '@latchkey/rig/tokens';
import type { JWK } from 'jose';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { stopTime } from '../testing/stop-time.ts';
import { hashCredential } from './api-key.ts';
import { fetchKeySet } from './create-tokens.ts';
import { createKeySet, type KeySet, keepFreshEveryMs } from './key-set.ts';
import { createTokenVerifier } from './token-verifier.ts';

const minuteMs = 60_000;
let first: IssuerKey;
let second: IssuerKey;
let clock: ManualClock;
let published: JWK[] | Error | unknown;
let fetches: number;
let faults: unknown[];
let keySet: KeySet;
let verify: (token: string) => Promise<unknown>;
/** Where it is set, the answer of the next fetches comes when it resolves. */
let answering: Promise<void> | null;

beforeAll(async () => {
  [first, second] = await Promise.all([makeIssuerKey('ES256', 'first'), makeIssuerKey('ES256', 'second')]);
});

beforeEach(() => {
  clock = createManualClock();
  published = [first.jwk];
  fetches = 0;
  faults = [];
  answering = null;
  keySet = createKeySet({
    async fetchJson() {
      fetches++;
      await answering;
      if (published instanceof Error) throw published;
      return Array.isArray(published) ? { keys: structuredClone(published) } : published;
    },
    clock,
    onFault: (error) => void faults.push(error),
  });
  const verifier = createTokenVerifier({
    secrets: null,
    keySet,
    rules: {
      audience: null,
      issuer: null,
      clockToleranceSeconds: 10,
      maxAgeSeconds: 86_400,
      requireIssuedAt: true,
      contentClaim: 'c',
    },
    clock,
  });
  verify = async (token) => verifier.verify(token, hashCredential(token));
});

/** A token that is good for a day, so that only its key decides. */
function tokenOf(key: IssuerKey, sub = 'alice', kid?: string): Promise<string> {
  const iat = clock.now() / 1_000;
  return key.sign(sub, { iat, exp: iat + 80_000 }, kid === undefined ? {} : { kid });
}
/** Time passes, and the background job runs as often as it does in service. */
async function letPass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += keepFreshEveryMs) {
    clock.advance(Math.min(keepFreshEveryMs, ms - passed));
    await keySet.keepFresh();
  }
}
const accepted = async (token: string) => expect(await verify(token)).toMatchObject({ kind: 'viewer' });
const refused = (token: string) => expect(verify(token)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
const unknowable = (token: string) =>
  expect(verify(token)).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
const outOfReach = new Error('out of reach');

describe('a key set that can be reached', () => {
  test('a key set is fetched once for many tokens, also for many at once', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => tokenOf(first, `viewer-${i}`)));
    await Promise.all(tokens.map(accepted));
    expect(fetches).toBe(1);
  });

  test('a rotation works at once: an unknown kid fetches the set again', async () => {
    await accepted(await tokenOf(first));
    published = [first.jwk, second.jwk];
    await accepted(await tokenOf(second));
    await accepted(await tokenOf(first));
    expect(fetches).toBe(2);
  });

  test('a token with a kid that is not in the key set gets 401 from a set that was read after it came', async () => {
    await refused(await tokenOf(second));
    clock.advance(5_000);
    await refused(await tokenOf(first, 'alice', 'made-up'));
  });

  test('a token with a kid of the key set and the signature of another key is refused', async () => {
    published = [first.jwk, second.jwk];
    await refused(await tokenOf(second, 'alice', 'first'));
  });

  test('a key that was withdrawn is refused within 5 minutes, though its tokens were remembered and no request waits', async () => {
    const token = await tokenOf(first);
    await accepted(token);
    published = [second.jwk];
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
    published = [second.jwk];
    // Both begin now; the set has changed once the signature of the token is checked.
    clock.advance(5 * minuteMs);
    await Promise.all([verify(token), keySet.keepFresh()]);
    await refused(token);
  });

  test('no request waits for a key set that is fetched because of its age', async () => {
    const token = await tokenOf(first);
    await accepted(token);
    const { promise, resolve } = Promise.withResolvers<void>();
    answering = promise;
    clock.advance(5 * minuteMs);
    const refreshing = keySet.keepFresh();
    await accepted(token);
    await accepted(await tokenOf(first, 'bob'));
    resolve();
    await refreshing;
    expect(fetches).toBe(2);
  });

  test('a kid that is published while the set is being fetched is found by another fetch', async () => {
    await accepted(await tokenOf(first));
    clock.advance(5 * minuteMs);
    const { promise, resolve } = Promise.withResolvers<void>();
    answering = promise;
    const refreshing = keySet.keepFresh();
    const before = published;
    published = [first.jwk, second.jwk];
    const judged = accepted(await tokenOf(second));
    published = before;
    resolve();
    await refreshing;
    published = [first.jwk, second.jwk];
    await judged;
    expect(fetches).toBe(3);
  });

  test('a withdrawn key is accepted no more where a token with a new kid brought the new key set', async () => {
    const token = await tokenOf(first);
    await accepted(token);
    published = [second.jwk];
    await accepted(await tokenOf(second));
    await unknowable(token);
    clock.advance(5_000);
    await refused(token);
  });

  test('a token with an unknown kid gets 503 with Retry-After and no final refusal while the key set may not be read again', async () => {
    await accepted(await tokenOf(first));
    await refused(await tokenOf(second, 'mallory', 'made-up'));
    published = [first.jwk, second.jwk];
    const token = await tokenOf(second);
    for (const [passedMs, seconds] of [
      [0, 5],
      [1, 5],
      [998, 5],
      [1, 4],
      [3_999, 1],
    ] as const) {
      clock.advance(passedMs);
      const refusal = await verify(token).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE', retryAfterSeconds: seconds });
      // With a cause, each such answer would be written to the operator's log as a failure.
      expect(refusal).not.toHaveProperty('cause');
    }
    clock.advance(1);
    await accepted(token);
    expect(fetches).toBe(3);
  });

  test('a flood of made-up kids reads the key set once in 5 seconds, and keeps a new key out for no longer than that', async () => {
    await accepted(await tokenOf(first));
    const flood = async (kids: number) => {
      const answers = await Promise.allSettled(
        Array.from({ length: kids }, async (_, i) => verify(await tokenOf(second, 'mallory', `made-up-${i}`))),
      );
      return answers.map((answer) => answer.status === 'rejected' && answer.reason.code);
    };
    for (let second = 0; second < 60; second++) {
      await flood(20);
      clock.advance(1_000);
    }
    expect(fetches).toBe(1 + 12);
    published = [first.jwk, second.jwk];
    const token = await tokenOf(second);
    await flood(20);
    await accepted(token);
    await accepted(await tokenOf(first, 'bob'));
  });

  test('a token that came while the key set was being read is not refused by what that reading brought', async () => {
    await accepted(await tokenOf(first));
    const { promise, resolve } = Promise.withResolvers<void>();
    answering = promise;
    const stranger = refused(await tokenOf(second, 'mallory', 'made-up'));
    await vi.waitFor(() => expect(fetches).toBe(2));
    const late = unknowable(await tokenOf(second));
    resolve();
    await Promise.all([stranger, late]);
    published = [first.jwk, second.jwk];
    clock.advance(5_000);
    await accepted(await tokenOf(second));
    expect(fetches).toBe(3);
  });

  test('a token that came while the key set was being read is accepted by what that reading brought', async () => {
    await accepted(await tokenOf(first));
    published = [first.jwk, second.jwk];
    const { promise, resolve } = Promise.withResolvers<void>();
    answering = promise;
    const tokens = await Promise.all([tokenOf(second), tokenOf(second, 'bob')]);
    const judged = tokens.map(accepted);
    resolve();
    await Promise.all(judged);
    expect(fetches).toBe(2);
  });

  test('a token that was refused for its unknown kid is judged anew once its key is published', async () => {
    const token = await tokenOf(second);
    await accepted(await tokenOf(first));
    await refused(token);
    published = [first.jwk, second.jwk];
    clock.advance(5_000);
    await accepted(token);
  });

  test('a key set that was read at the start or in the background is read again at once for an unknown kid', async () => {
    await keySet.keepFresh();
    published = [first.jwk, second.jwk];
    await accepted(await tokenOf(second));
    published = [first.jwk];
    await letPass(10 * minuteMs);
    published = [first.jwk, second.jwk];
    await accepted(await tokenOf(second));
  });
});

describe('a key set that cannot be reached', () => {
  test('a key set that is unreachable from the start gives 503, and 200 within 5 seconds once it is reachable', async () => {
    published = outOfReach;
    const token = await tokenOf(first);
    await unknowable(token);
    published = [first.jwk];
    await unknowable(token);
    clock.advance(5_000);
    await accepted(token);
    expect(faults).toEqual([outOfReach]);
  });

  test('a key set that becomes unreachable is used for an hour, then tokens get 503', async () => {
    const token = await tokenOf(first);
    await accepted(token);
    published = outOfReach;
    clock.advance(60 * minuteMs);
    await accepted(token);
    await accepted(await tokenOf(first, 'bob'));
    clock.advance(1);
    await unknowable(token);
    published = [first.jwk];
    clock.advance(10_000);
    await accepted(token);
  });

  test('tokens with a known kid are verified without waiting, although no fetch of the key set ends', async () => {
    const token = await tokenOf(first);
    await accepted(token);
    answering = new Promise(() => {});
    for (let minute = 1; minute < 59; minute++) {
      clock.advance(minuteMs);
      void keySet.keepFresh();
      await accepted(token);
      await accepted(await tokenOf(first, `viewer-${minute}`));
    }
    expect(fetches).toBe(2);
  });

  test('while a fetch of the key set hangs, a flood of made-up kids delays no token with a known kid and starts no other fetch', async () => {
    await accepted(await tokenOf(first));
    clock.advance(minuteMs);
    answering = new Promise(() => {});
    for (let i = 0; i < 50; i++)
      void verify(await tokenOf(second, 'mallory', `made-up-${i}`)).catch(() => {});
    await accepted(await tokenOf(first, 'bob'));
    expect(fetches).toBe(2);
  });

  test('a flood of made-up kids does not keep the set from being fetched in the background', async () => {
    const token = await tokenOf(first);
    await accepted(token);
    published = outOfReach;
    clock.advance(3 * minuteMs);
    for (let i = 0; i < 50; i++) await unknowable(await tokenOf(second, 'mallory', `made-up-${i}`));
    const { length } = faults;
    published = [second.jwk];
    clock.advance(minuteMs + 1);
    await keySet.keepFresh();
    expect(faults).toHaveLength(length);
    await refused(token);
  });

  test('a token with an unknown kid gets 503 and not 401 while the key set is unreachable, also right after a good reading', async () => {
    await accepted(await tokenOf(first));
    published = outOfReach;
    await unknowable(await tokenOf(second));
    clock.advance(minuteMs);
    await unknowable(await tokenOf(second));
    clock.advance(5_000);
    published = [first.jwk, second.jwk];
    await accepted(await tokenOf(second));
  });

  test('while the key set is unreachable, tokens with unknown kids ask for it once in 5 seconds', async () => {
    await accepted(await tokenOf(first));
    published = outOfReach;
    for (let seconds = 0; seconds < 20; seconds++) {
      for (let i = 0; i < 10; i++) await unknowable(await tokenOf(second, 'mallory', `made-up-${i}`));
      clock.advance(1_000);
    }
    expect(fetches).toBe(1 + 4);
  });

  test.each([null, 'text', 7, [], {}, { keys: 'none' }, { keys: [7] }])(
    '%j is no key set: as if it could not be reached',
    async (garbage) => {
      published = garbage === null || Array.isArray(garbage) ? { garbage } : garbage;
      await unknowable(await tokenOf(first));
      expect(faults).toHaveLength(1);
    },
  );

  test('a malformed key set does not replace the last good one', async () => {
    const token = await tokenOf(first);
    await accepted(token);
    published = { keys: 'none' };
    clock.advance(6 * minuteMs);
    await accepted(token);
  });

  test('one unsupported key in a key set does not affect the others', async () => {
    published = [{ kty: 'XX', kid: 'odd' }, first.jwk];
    await accepted(await tokenOf(first));
    await expect(verify(await tokenOf(first, 'alice', 'odd'))).rejects.toMatchObject({
      code: 'INVALID_TOKEN',
    });
  });
});

describe('fetching', () => {
  beforeEach(() => void stopTime());
  async function answer(status: number, body: string, headers: Record<string, string> = {}) {
    const server = createServer((_request, response) => response.writeHead(status, headers).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      return await fetchKeySet(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
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
