import { type IssuerKey, makeIssuerKey } from '@latchkey/support/tokens';
import type { JWK } from 'jose';
import { expect } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { hashCredential } from './api-key.ts';
import { createKeySet, keepFreshEveryMs } from './key-set.ts';
import { createTokenVerifier } from './token-verifier.ts';
import { usualIssuer } from './usual-rules.fixture.ts';

export const minuteMs = 60_000;
export const outOfReach = new Error('out of reach');

/** Two keys of one issuer. */
export function makeIssuerKeys(): Promise<[IssuerKey, IssuerKey]> {
  return Promise.all([makeIssuerKey('ES256', 'first'), makeIssuerKey('ES256', 'second')]);
}

/** A key set as tests publish it, and a verifier that uses it by a clock of the test. */
export function createKeySetScene(first: IssuerKey) {
  const clock = createManualClock();
  const scene = {
    /** The answer to the next fetches: keys, a failure, or another document. */
    published: [first.jwk] as JWK[] | Error | unknown,
    /** If it is set, the next fetches are answered when it resolves. */
    answering: null as Promise<void> | null,
    fetches: 0,
    faults: [] as unknown[],
    /** The reports of keys that cannot be used. */
    unusable: [] as string[],
  };
  const keySet = createKeySet({
    async fetchJson() {
      scene.fetches++;
      await scene.answering;
      const { published } = scene;
      if (published instanceof Error) throw published;
      return Array.isArray(published) ? { keys: structuredClone(published) } : published;
    },
    clock,
    onFault: (error) => void scene.faults.push(error),
    onUnusableKeys: (keys) => void scene.unusable.push(keys),
  });
  const verifier = createTokenVerifier({
    issuers: usualIssuer({ keySet }),
    clock,
  });
  const verify = async (token: string) => verifier.verify(token, hashCredential(token));
  return Object.assign(scene, {
    clock,
    keySet,
    verify,
    /**
     * A token that is good for a day, so that only its key decides.
     *
     * @param kid Optional. Default: the `kid` of the key. Null: the token has no `kid`
     */
    tokenOf(key: IssuerKey, sub = 'alice', kid?: string | null): Promise<string> {
      const iat = clock.now() / 1_000;
      return key.sign(sub, { iat, exp: iat + 80_000 }, kid === undefined ? {} : { kid: kid ?? undefined });
    },
    /** Time passes, and the background job runs as often as it does in service. */
    async letPass(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += keepFreshEveryMs) {
        clock.advance(Math.min(keepFreshEveryMs, ms - passed));
        await keySet.keepFresh();
      }
    },
    accepted: async (token: string) => expect(await verify(token)).toMatchObject({ kind: 'viewer' }),
    refused: (token: string) => expect(verify(token)).rejects.toMatchObject({ code: 'INVALID_TOKEN' }),
    unknowable: (token: string) =>
      expect(verify(token)).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' }),
  });
}
