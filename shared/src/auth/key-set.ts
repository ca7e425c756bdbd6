import type { JWTVerifyGetKey } from 'jose';
import * as errors from 'jose/errors';
import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors/errors.ts';
import { describeUnusableKeys, type JudgedKeys, judgeKeys, mayBeKeyOf } from './judge-keys.ts';
import { refuseToken } from './token-claims.ts';

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
 * A token with an unknown `kid` has the set fetched again, so that rotation works at once. Fetches for tokens begin at least this
 * far apart, so that made-up `kid`s do not flood the identity provider. It is also the longest time that made-up `kid`s keep a
 * new key out.
 */
const fetchEveryMs = 5_000;

const setLost = 'The token cannot be checked: the key set of its issuer is out of reach.';
/**
 * The issuer can be reached, and the set was read a moment ago. Anybody can send tokens that get this answer, so it is not counted as a
 * failure of the server.
 */
export const keyUnknown =
  'The token cannot be checked yet: its key was not in the key set of its issuer a moment ago.';

/** A JSON Web Key Set at a URL (RFC 7517 section 5). */
export type KeySet = ReturnType<typeof createKeySet>;

interface KeySetOptions {
  /** Fetches and parses the document, bounded in time and size. Rejects on anything but a 200 with JSON. */
  fetchJson: () => Promise<unknown>;
  clock: Clock;
  onFault: (error: unknown) => void;
  /** Receives the keys of a set that cannot be used, with their reasons. Once, until others are in the set. */
  onUnusableKeys: (keys: string) => void;
}

export function createKeySet(options: KeySetOptions) {
  const { clock } = options;
  const set = new FetchedSet(options);
  const ageMs = () => (set.current ? clock.monotonic() - set.current.fetchedAtMs : Number.POSITIVE_INFINITY);
  const createdAtMs = clock.monotonic();
  /** When a token may have the set fetched. */
  let nextFetchAtMs = Number.NEGATIVE_INFINITY;

  /** Waits for the running fetch, or begins one. @returns false if it brings no set, or may not begin yet */
  async function fetchForToken(): Promise<boolean> {
    if (set.fetching) return set.fetching;
    const now = clock.monotonic();
    if (now < nextFetchAtMs) return false;
    // Without a set, any token has it fetched. The first unknown `kid` need not wait after that.
    if (ageMs() <= lastGoodMs) nextFetchAtMs = now + fetchEveryMs;
    const isFetched = await set.fetch();
    if (!isFetched) nextFetchAtMs = now + fetchEveryMs;
    return isFetched;
  }

  /** @returns null where the set lacks the key or is too old to rely on */
  async function find(
    ...token: Parameters<JWTVerifyGetKey>
  ): Promise<Awaited<ReturnType<JudgedKeys['find']>> | null> {
    if (!set.current || ageMs() > lastGoodMs) return null;
    const { find, unusable } = set.current;
    try {
      return await find(...token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // Final, without reading the set again: the issuer has to replace the key, and the background job finds that.
      if (unusable.some(({ jwk }) => mayBeKeyOf(token[0], jwk)))
        throw refuseToken('Its key in the key set cannot be used.');
      return null;
    }
  }

  return {
    get generation() {
      return set.generation;
    },
    /** Milliseconds since the set was last fetched with success; since it was created, if it never was. */
    ageMs: () => clock.monotonic() - (set.current?.fetchedAtMs ?? createdAtMs),
    /**
     * `good`: the latest fetch brought it. `old`: that failed, and an earlier set is used. `lost`: there is none that can be used. `pending`: the
     * first fetch has not ended.
     */
    state(): 'good' | 'old' | 'lost' | 'pending' {
      if (ageMs() <= lastGoodMs) return set.isFetchFailed ? 'old' : 'good';
      return set.current || set.isFetchFailed ? 'lost' : 'pending';
    },
    /** Whether tokens that were verified with this generation may still be remembered. */
    isCurrent: (verifiedWith: number) => verifiedWith === set.generation && ageMs() <= lastGoodMs,
    /**
     * Fetches the set if it is missing or older than 4 minutes. Called every `keepFreshEveryMs`, it makes a withdrawn
     * key invalid within 5 minutes, and no request waits for that.
     */
    async keepFresh(): Promise<void> {
      if (ageMs() > freshMs) await (set.fetching ?? set.fetch());
    },
    /**
     * The key that a token's header names. Returns at once where the set has it. Only a token with an unknown `kid` waits
     * for a fetch, or for two where one was already running.
     * @throws JWKSNoMatchingKey where a set that was fetched after the token came lacks the key; JWKSMultipleMatchingKeys where
     * several fit; AppError INVALID_TOKEN where the key cannot be used; AppError DEPENDENCY_UNAVAILABLE where that cannot be known yet
     */
    async keyFor(...token: Parameters<JWTVerifyGetKey>) {
      const begunBefore = set.begun;
      let key = await find(...token);
      // A fetch that was already running may have been answered before this key was published. What it brings can accept the
      // token, but not refuse it.
      while (!key && (set.current?.number ?? 0) <= begunBefore) {
        if (!(await fetchForToken())) {
          const isLost = set.isFetchFailed || ageMs() > lastGoodMs;
          throw undecided(isLost ? setLost : keyUnknown, nextFetchAtMs - clock.monotonic());
        }
        key = await find(...token);
      }
      if (!key) throw new errors.JWKSNoMatchingKey();
      return key;
    },
  };
}

/** The set as last fetched, and what is known of its fetches. */
class FetchedSet {
  /** `number` is the number of the fetch that brought the set. */
  current: (JudgedKeys & { text: string; fetchedAtMs: number; number: number }) | null = null;
  /** Rises with each set that differs from the one before. */
  generation = 0;
  /** Resolves to whether the fetch brought a set. */
  fetching: Promise<boolean> | null = null;
  /** How many fetches have begun. */
  begun = 0;
  /** Whether the latest fetch failed. */
  isFetchFailed = false;
  #reported = '';
  readonly #options: KeySetOptions;

  constructor(options: KeySetOptions) {
    this.#options = options;
  }

  /** Begins a fetch. Only while none is running. */
  fetch(): Promise<boolean> {
    this.fetching = this.#fetchNow().finally(() => {
      this.fetching = null;
    });
    return this.fetching;
  }

  async #fetchNow(): Promise<boolean> {
    const { fetchJson, clock, onFault, onUnusableKeys } = this.#options;
    const fetchedAtMs = clock.monotonic();
    const number = ++this.begun;
    try {
      const document = await fetchJson();
      const judged = await judgeKeys(document);
      const text = JSON.stringify(document);
      if (text !== this.current?.text) this.generation++;
      this.current = { ...judged, text, fetchedAtMs, number };
      this.isFetchFailed = false;
      const unusable = describeUnusableKeys(judged.unusable);
      if (unusable !== this.#reported && unusable !== '') onUnusableKeys(unusable);
      this.#reported = unusable;
      return true;
    } catch (error) {
      this.isFetchFailed = true;
      onFault(error);
      return false;
    }
  }
}

/** Without a cause, so that a flood of made-up `kid`s does not fill the operator's log. `onFault` reports failed fetches. */
function undecided(detail: string, waitMs: number): AppError {
  return new AppError('DEPENDENCY_UNAVAILABLE', {
    detail,
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  });
}
