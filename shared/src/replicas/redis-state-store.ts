import type { RedisConnection } from './redis-connection.ts';
import { formatStoredState, parseStoredState, type StateStore } from './state-store.ts';

/** The version of what is stored: code that stores something else takes another, and the two do not meet. */
const prefix = 'latchkey:1:';

/** @param onFault hears of entries that are none */
export function createRedisStateStore(
  connection: RedisConnection,
  onFault: (error: unknown) => void,
): StateStore {
  return {
    async get(kind, key) {
      const text = await connection.attempt((redis) => redis.get(`${prefix}${kind}:${key}`));
      if (typeof text !== 'string') return null;
      const entry = parseStoredState(text);
      if (!entry) onFault(new TypeError(`what Redis keeps as a ${kind} is none`));
      return entry;
    },
    set(kind, key, value, stamp, ttlMs) {
      const text = formatStoredState({ value, stamp });
      void connection.attempt((redis) => redis.set(`${prefix}${kind}:${key}`, text, 'PX', Math.ceil(ttlMs)));
    },
    state: () => (connection.isUp() ? 'up' : 'down'),
  };
}
