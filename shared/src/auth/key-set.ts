import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '../clock/index.ts';
import { AppError } from '../errors/index.ts';

/** Age at which the set is fetched again in the background. With `keepFreshEveryMs` and a slow answer it stays under 5 minutes. */
const freshMs = 4 * 60_000;
/** How often the background job looks at the set's age, and so how soon it tries again after a failure. */
export const keepFreshEveryMs = 30_000;
/** How long the last good set carries on when it cannot be fetched. Then nobody knows, and the answer is 503. */
const lastGoodMs = 60 * 60_000;
/** A token with an unknown `kid` fetches the set again, so that rotation works at once; this many times in a row … */
const fetchesAtOnce = 5;
/** … and then once in this time, so that made-up `kid`s do not turn the server against its identity provider. */
const fetchEveryMs = 10_000;

/** A JSON Web Key Set at a URL (RFC 7517 section 5). */
export interface KeySet {
  /**
   * The key of a token's header. At once where the set has it; only a token with an unknown `kid` waits for a fetch.
   * @throws AppError INVALID_TOKEN where the set has no such key, DEPENDENCY_UNAVAILABLE where that cannot be known
   */
  keyFor: JWTVerifyGetKey;
  /** Whether what was verified with this generation may be remembered still. */
  isCurrent(generation: number): boolean;
  readonly generation: number;
  /**
   * Fetches the set where it is missing or older than 4 minutes. Called every `keepFreshEveryMs`, it makes a key that its
   * owner withdraws end within 5 minutes, and no request waits for that.
   */
  keepFresh(): Promise<void>;
}

export interface KeySetOptions {
  /** Fetches and parses the document. Bounded in time and size; rejects on anything but a 200 with JSON. */
  fetchJson: () => Promise<unknown>;
  clock: Clock;
  onFault: (error: unknown) => void;
}

type FindKey = ReturnType<typeof createLocalJWKSet>;

export function createKeySet({ fetchJson, clock, onFault }: KeySetOptions): KeySet {
  let current: { find: FindKey; text: string; fetchedAtMs: number } | null = null;
  let generation = 0;
  /** Resolves to whether it brought a set. */
  let fetching: Promise<boolean> | null = null;
  const mayFetch = createFetchBudget(clock);

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

  /** @returns null where the set has no such key, or is too old to say */
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
    isCurrent: (verifiedWith) => verifiedWith === generation && ageMs() <= lastGoodMs,
    async keepFresh() {
      if (ageMs() > freshMs) await (fetching ?? fetchSet());
    },
    async keyFor(...token) {
      const known = await find(...token);
      if (known) return known;
      // A fetch that is under way may have begun before this key was published, so one that lacks it is followed by another.
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

/** Lets five fetches through at once, and then one in ten seconds. */
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
