import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '../clock/index.ts';
import { AppError } from '../errors/index.ts';

/** How long a set is used without asking again: a key that its owner withdraws is refused after this at the latest. */
const freshMs = 5 * 60_000;
/** How long the last good set carries on when it cannot be fetched. Then nobody knows, and the answer is 503. */
const lastGoodMs = 60 * 60_000;
/** A token with an unknown `kid` fetches the set again, so that rotation works at once; this many times in a row … */
const fetchesAtOnce = 5;
/** … and then once in this time, so that made-up `kid`s do not turn the server against its identity provider. */
const fetchEveryMs = 10_000;

/** A JSON Web Key Set at a URL (RFC 7517 section 5). */
export interface KeySet {
  /**
   * The key of a token's header.
   * @throws AppError INVALID_TOKEN where the set has no such key, DEPENDENCY_UNAVAILABLE where that cannot be known
   */
  keyFor: JWTVerifyGetKey;
  /** Whether what was verified with this generation may be remembered still. */
  isCurrent(generation: number): boolean;
  readonly generation: number;
}

export interface KeySetOptions {
  /** Fetches and parses the document. Bounded in time and size; rejects on anything but a 200 with JSON. */
  fetchJson: () => Promise<unknown>;
  clock: Clock;
  onFault: (error: unknown) => void;
}

export function createKeySet({ fetchJson, clock, onFault }: KeySetOptions): KeySet {
  let current: { find: ReturnType<typeof createLocalJWKSet>; text: string; fetchedAtMs: number } | null =
    null;
  let generation = 0;
  let fetching: Promise<boolean> | null = null;
  let budget = fetchesAtOnce;
  let budgetAtMs = clock.monotonic();

  const ageMs = () => (current ? clock.monotonic() - current.fetchedAtMs : Number.POSITIVE_INFINITY);

  function mayFetch(): boolean {
    const nowMs = clock.monotonic();
    const earned = Math.floor((nowMs - budgetAtMs) / fetchEveryMs);
    budget = Math.min(fetchesAtOnce, budget + earned);
    budgetAtMs += earned * fetchEveryMs;
    if (budget === 0) return false;
    budget--;
    return true;
  }

  /** @returns whether the set is now as it was published when this was called, or later */
  function refresh(): Promise<boolean> {
    if (fetching) return fetching;
    if (!mayFetch()) return Promise.resolve(false);
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

  return {
    get generation() {
      return generation;
    },
    isCurrent: (verifiedWith) => verifiedWith === generation && ageMs() <= freshMs,
    async keyFor(header, token) {
      if (ageMs() > freshMs) await refresh();
      if (!current || ageMs() > lastGoodMs) throw unknowable();
      try {
        return await current.find(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      }
      const refreshed = await refresh();
      if (!refreshed && ageMs() > fetchEveryMs) throw unknowable();
      return current.find(header, token);
    },
  };
}

function unknowable(): AppError {
  return new AppError('DEPENDENCY_UNAVAILABLE', {
    detail: 'The token cannot be checked: the key set of its issuer is out of reach.',
  });
}
