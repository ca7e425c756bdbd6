import { type Seal, sealLength } from '../seal/index.ts';
import type { RedisConnection } from './redis-connection.ts';
import { formatStoredState, parseStoredState, type StateStore } from './state-store.ts';

/** The version of the stored form. Code that stores another form uses another version, so the two never mix. */
const prefix = 'latchkey:2:';
/**
 * The longest entry that is read, in bytes. A lease has a viewer id of up to 1,024 bytes, two for each where JSON escapes
 * them, and some 700 other bytes. Redis stores up to 512 MB under a key, and a few such entries would fill the memory of
 * a replica.
 */
const longestEntry = 4_096;

/**
 * @param seal distinguishes the entries of our processes from those of other writers
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
      const text = formatStoredState({ value, stamp });
      const sealed = seal.of(place, text) + text;
      void connection.attempt((redis) => redis.set(prefix + place, sealed, 'PX', Math.ceil(ttlMs)));
    },
    state: () => (connection.isUp() ? 'up' : 'down'),
  };
}
