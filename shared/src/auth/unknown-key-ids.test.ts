import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createKeySetScene, makeIssuerKeys, minuteMs, outOfReach } from './key-set.fixture.ts';
import { keyUnknown } from './key-set.ts';

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

describe('a token with an unknown kid', () => {
  test('a token with an unknown kid gets 503 with Retry-After and no final refusal while the key set may not be read again', async () => {
    await accepted(await tokenOf(first));
    await refused(await tokenOf(second, 'mallory', 'made-up'));
    issuer.published = [first.jwk, second.jwk];
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
    expect(issuer.fetches).toBe(3);
  });

  test('the answer distinguishes a key that was not in the set a moment ago from a set that is out of reach', async () => {
    const reasonFor = async (token: string) =>
      (await verify(token).catch((error: unknown) => error)) as { message: string };
    await accepted(await tokenOf(first));
    await refused(await tokenOf(second));
    expect((await reasonFor(await tokenOf(second))).message).toBe(keyUnknown);
    issuer.published = outOfReach;
    clock.advance(5_000);
    expect((await reasonFor(await tokenOf(second))).message).toContain('out of reach');
    expect((await reasonFor(await tokenOf(second))).message).toContain('out of reach');
    clock.advance(61 * minuteMs);
    expect((await reasonFor(await tokenOf(first))).message).toContain('out of reach');
  });

  test('a flood of made-up kids reads the key set once in 5 seconds, and keeps a new key out for no longer than that', async () => {
    await accepted(await tokenOf(first));
    const flood = async (kids: number) => {
      const answers = await Promise.allSettled(
        Array.from({ length: kids }, async (_, i) =>
          verify(await tokenOf(second, 'mallory', `made-up-${i}`)),
        ),
      );
      return answers.map((answer) => answer.status === 'rejected' && answer.reason.code);
    };
    for (let second = 0; second < 60; second++) {
      await flood(20);
      clock.advance(1_000);
    }
    expect(issuer.fetches).toBe(1 + 12);
    issuer.published = [first.jwk, second.jwk];
    const token = await tokenOf(second);
    await flood(20);
    await accepted(token);
    await accepted(await tokenOf(first, 'bob'));
  });

  test('a token that came while the key set was being read is not refused by what that reading brought', async () => {
    await accepted(await tokenOf(first));
    const { promise, resolve } = Promise.withResolvers<void>();
    issuer.answering = promise;
    const stranger = refused(await tokenOf(second, 'mallory', 'made-up'));
    await vi.waitFor(() => expect(issuer.fetches).toBe(2));
    const late = unknowable(await tokenOf(second));
    resolve();
    await Promise.all([stranger, late]);
    issuer.published = [first.jwk, second.jwk];
    clock.advance(5_000);
    await accepted(await tokenOf(second));
    expect(issuer.fetches).toBe(3);
  });

  test('a token that came while the key set was being read is accepted by what that reading brought', async () => {
    await accepted(await tokenOf(first));
    issuer.published = [first.jwk, second.jwk];
    const { promise, resolve } = Promise.withResolvers<void>();
    issuer.answering = promise;
    const tokens = await Promise.all([tokenOf(second), tokenOf(second, 'bob')]);
    const judged = tokens.map(accepted);
    resolve();
    await Promise.all(judged);
    expect(issuer.fetches).toBe(2);
  });

  test('a token that was refused for its unknown kid is judged anew once its key is published', async () => {
    const token = await tokenOf(second);
    await accepted(await tokenOf(first));
    await refused(token);
    issuer.published = [first.jwk, second.jwk];
    clock.advance(5_000);
    await accepted(token);
  });

  test('a key set that was read at the start or in the background is read again at once for an unknown kid', async () => {
    await keySet.keepFresh();
    issuer.published = [first.jwk, second.jwk];
    await accepted(await tokenOf(second));
    issuer.published = [first.jwk];
    await letPass(10 * minuteMs);
    issuer.published = [first.jwk, second.jwk];
    await accepted(await tokenOf(second));
  });

  test('while the key set is unreachable, tokens with unknown kids ask for it once in 5 seconds', async () => {
    await accepted(await tokenOf(first));
    issuer.published = outOfReach;
    for (let seconds = 0; seconds < 20; seconds++) {
      for (let i = 0; i < 10; i++) await unknowable(await tokenOf(second, 'mallory', `made-up-${i}`));
      clock.advance(1_000);
    }
    expect(issuer.fetches).toBe(1 + 4);
    issuer.published = [first.jwk, second.jwk];
    await accepted(await tokenOf(second));
  });
});
