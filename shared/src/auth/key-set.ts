import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import * as errors from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors/errors.ts';

/**
 * Age at which the set is fetched again in the background. With `keepFreshEveryMs` and a slow answer the age stays under
 * 5 minutes.
 */
const freshMs = 4 * 60_000;
/** How often the background job checks the age of the set, and so how soon it tries again after a failure. */
export const keepFreshEveryMs = 30_000;
/** How long the last good set is used while it cannot be fetched. After that no key can be trusted, and the answer is 503. */
const lastGoodMs = 60 * 60_000;
/**
 * A token with an unknown `kid` fetches the set again, so that rotation works at once. This many fetches in a row are
 * allowed …
 */
const fetchesAtOnce = 5;
/** … and then one in this time, so that made-up `kid`s do not flood the identity provider with fetches. */
const fetchEveryMs = 10_000;

/** A JSON Web Key Set at a URL (RFC 7517 section 5). */
export interface KeySet {
  /**
   * The key that a token's header names. Returns at once where the set has it. Only a token with an unknown `kid` waits
   * for a fetch.
   * @throws AppError INVALID_TOKEN where the set has no such key, DEPENDENCY_UNAVAILABLE where that cannot be known
   */
  keyFor: JWTVerifyGetKey;
  /** Whether tokens that were verified with this generation may still be remembered. */
  isCurrent(generation: number): boolean;
  readonly generation: number;
  /** Milliseconds since the set was last fetched with success; since it was created, if it never was. */
  ageMs(): number;
  /**
   * Fetches the set where it is missing or older than 4 minutes. Called every `keepFreshEveryMs`, it makes a withdrawn
   * key invalid within 5 minutes, and no request waits for that.
   */
  keepFresh(): Promise<void>;
}

interface KeySetOptions {
  /** Fetches and parses the document, bounded in time and size. Rejects on anything but a 200 with JSON. */
  fetchJson: () => Promise<unknown>;
  clock: Clock;
  onFault: (error: unknown) => void;
}

type FindKey = ReturnType<typeof createLocalJWKSet>;

export function createKeySet({ fetchJson, clock, onFault }: KeySetOptions): KeySet {
  let current: { find: FindKey; text: string; fetchedAtMs: number } | null = null;
  let generation = 0;
  /** Resolves to whether the fetch brought a set. */
  let fetching: Promise<boolean> | null = null;
  const mayFetch = createFetchBudget(clock);
  const createdAtMs = clock.monotonic();

  const ageMs = () => (current ? clock.monotonic() - current.fetchedAtMs : Number.POSITIVE_INFINITY);

  function fetchSet(): Promise<boolean> {
    const beganAtMs = clock.monotonic();
    fetching = fetchJson()
      .then((document) => {
        const find = createLocalJWKSet(document as JSONWebKeySet);
        const text = JSON.stringify(document);
        if (text !== current?.text) generation++;
        current = { find, text, fetchedAtMs: beganAtMs };
        return true;
      })
      .catch((error: unknown) => {
        onFault(error);
        return false;
      })
      .finally(() => {
        fetching = null;
      });
    return fetching;
  }

  /** @returns null where the set lacks the key or is too old to rely on */
  async function find(...token: Parameters<FindKey>): Promise<Awaited<ReturnType<FindKey>> | null> {
    if (!current || ageMs() > lastGoodMs) return null;
    try {
      return await current.find(...token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return null;
      throw error;
    }
  }

  return {
    get generation() {
      return generation;
    },
    ageMs: () => clock.monotonic() - (current?.fetchedAtMs ?? createdAtMs),
    isCurrent: (verifiedWith) => verifiedWith === generation && ageMs() <= lastGoodMs,
    async keepFresh() {
      if (ageMs() > freshMs) await (fetching ?? fetchSet());
    },
    async keyFor(...token) {
      const known = await find(...token);
      if (known) return known;
      // A running fetch may have begun before this key was published. If its result lacks the key, one more fetch
      // follows.
      let isFetched = fetching === null || (await fetching);
      const brought = await find(...token);
      if (brought) return brought;
      if (isFetched) isFetched = fetching || mayFetch() ? await (fetching ?? fetchSet()) : false;
      const fetched = await find(...token);
      if (fetched) return fetched;
      if (!isFetched && ageMs() > fetchEveryMs) throw unknowable();
      throw new errors.JWKSNoMatchingKey();
    },
  };
}

/** Lets five fetches through at once, then one every ten seconds. */
function createFetchBudget(clock: Clock): () => boolean {
  let left = fetchesAtOnce;
  let countedAtMs = clock.monotonic();
  return () => {
    const earned = Math.floor((clock.monotonic() - countedAtMs) / fetchEveryMs);
    left = Math.min(fetchesAtOnce, left + earned);
    countedAtMs += earned * fetchEveryMs;
    if (left === 0) return false;
    left--;
    return true;
  };
}

function unknowable(): AppError {
  return new AppError('DEPENDENCY_UNAVAILABLE', {
    detail: 'The token cannot be checked: the key set of its issuer is out of reach.',
  });
}
