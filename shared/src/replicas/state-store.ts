import { createRecordReader } from '../contracts/index.ts';
import { Type } from '../schema/type.ts';
import { type Seal, sealLength } from '../seal/seal.ts';
import { type FeedStamp, FeedStampSchema } from './recent-changes.ts';
import type { RedisConnection } from './redis-connection.ts';

/** The shared states: a lease by its id, a mark by `markKey`. */
export type StateKind = 'lease' | 'mark';

/** A stored state: unverified until it is parsed, and true at its stamp at the earliest. */
export interface StoredState {
  value: unknown;
  stamp: FeedStamp;
}

/**
 * States that the replicas share, so that a replica that has just started need not ask the owner for each. It is a cache:
 * an entry may be old, overwritten by an older one, lost, or restored from a snapshot. Its stamp shows whether it still
 * holds.
 */
export interface StateStore {
  /** Never rejects, and is quick where the store does not answer: it returns null then, as for a missing entry. */
  get(kind: StateKind, key: string): Promise<StoredState | null>;
  /** Never throws and never waits. */
  set(kind: StateKind, key: string, value: unknown, stamp: FeedStamp, ttlMs: number): void;
  /** For the readiness report. */
  state(): 'up' | 'down';
}

/** The value, and the members of its stamp next to it. */
const readEntry = createRecordReader(Type.Object({ value: Type.Unknown(), ...FeedStampSchema.properties }));

/** @returns null for anything that is not one of our entries */
function parseStoredState(text: string): StoredState | null {
  try {
    const entry = readEntry(JSON.parse(text));
    if (!entry) return null;
    const { value, ...stamp } = entry;
    return { value, stamp };
  } catch {
    return null;
  }
}

/** The version of the stored form. Code that stores another form uses another version, so the two never mix. */
const prefix = 'latchkey:2:';
/**
 * The longest entry that is read, in bytes. A lease has a viewer id of up to 1,024 bytes, two for each where JSON escapes
 * them, and some 700 other bytes. Redis stores up to 512 MB under a key, and a few such entries would fill the memory of
 * a replica.
 */
const longestEntry = 4_096;

/**
 * @param seal distinguishes the entries of our processes from the entries of other writers
 * @param onFault called with each entry that none of our processes wrote
 */
export function createRedisStateStore(
  connection: RedisConnection,
  seal: Seal,
  onFault: (error: unknown) => void,
): StateStore {
  return {
    async get(kind, key) {
      const place = `${kind}:${key}`;
      const text = await connection.attempt((redis) => redis.getrange(prefix + place, 0, longestEntry - 1));
      if (typeof text !== 'string' || text === '') return null;
      const stored = text.slice(sealLength);
      const isOurs = seal.isOf(place, stored, text.slice(0, sealLength));
      const entry = isOurs ? parseStoredState(stored) : null;
      if (!entry)
        onFault(new TypeError(`what Redis keeps as a ${kind} was not written by this installation`));
      return entry;
    },
    set(kind, key, value, stamp, ttlMs) {
      const place = `${kind}:${key}`;
      const text = JSON.stringify({ value, ...stamp });
      const sealed = seal.of(place, text) + text;
      void connection.attempt((redis) => redis.set(prefix + place, sealed, 'PX', Math.ceil(ttlMs)));
    },
    state: () => (connection.isUp() ? 'up' : 'down'),
  };
}
