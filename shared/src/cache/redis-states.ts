import type { RedisConnection } from './redis-connection.ts';
import { formatSharedEntry, parseSharedEntry, type SharedStates } from './shared-states.ts';

/** The version of what is stored: code that stores something else takes another, and the two do not meet. */
const prefix = 'latchkey:1:';

/** @param onFault hears of entries that are none */
export function createRedisStates(
  connection: RedisConnection,
  onFault: (error: unknown) => void,
): SharedStates {
  return {
    async get(kind, key) {
      const text = await connection.attempt((redis) => redis.get(`${prefix}${kind}:${key}`));
      if (typeof text !== 'string') return null;
      const entry = parseSharedEntry(text);
      if (!entry) onFault(new TypeError(`what Redis keeps as a ${kind} is none`));
      return entry;
    },
    set(kind, key, value, stamp, ttlMs) {
      const text = formatSharedEntry({ value, stamp });
      void connection.attempt((redis) => redis.set(`${prefix}${kind}:${key}`, text, 'PX', Math.ceil(ttlMs)));
    },
    state: () => (connection.isUp() ? 'up' : 'down'),
  };
}
