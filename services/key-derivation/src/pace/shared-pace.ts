import { markKey } from '@latchkey/shared/authority';
import type { RedisConnection } from '@latchkey/shared/replicas';
import { type KeyPace, type PacedKey, rateOf, rememberedOf } from './key-pace.ts';
import type { LocalPace } from './local-pace.ts';

/**
 * A bucket in Redis: one hash with its level, its time, and the epochs given last, as a ring and by their number. Redis
 * runs a script alone, so replicas cannot both take the last key. By its own clock, so that theirs need not agree.
 */
const script = `
local bucket = redis.call('HMGET', KEYS[1], 'level', 'at', 'count', ARGV[1])
if bucket[4] then return 0 end
local burst, rate, remembered = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local level = burst
if bucket[1] then level = math.min(burst, bucket[1] + math.max(0, now - bucket[2]) * rate) end
if level < 1 then return math.min(math.ceil((1 - level) / rate), 1e15) end
local count = tonumber(bucket[3] or 0)
local place = 'given' .. count % remembered
local oldest = redis.call('HGET', KEYS[1], place)
if oldest then redis.call('HDEL', KEYS[1], oldest) end
redis.call('HSET', KEYS[1], 'level', level - 1, 'at', now, 'count', count + 1, place, ARGV[1], ARGV[1], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 0
`;
/** The version of the stored form, as for the shared states. */
const prefix = 'latchkey:2:pace:';
/** Above every rate that matters, and finite for Lua. */
const mostPerMs = 1e6;
/** A bucket is kept until it is full again, and this long at least, for what was given lately. */
const leastKeptMs = 300_000;
/** Three hundred years: Redis refuses times beyond 64 bits. */
const mostKeptMs = 1e13;

/**
 * One bucket for all replicas. Where Redis does not answer, each has its own, which it keeps beside it: a looser bound,
 * and no outage. A key is given only where both allow it, so a Redis that loses buckets loosens no more than that.
 */
export function createSharedPace(connection: RedisConnection, local: LocalPace): KeyPace {
  const { redis } = connection;
  redis.defineCommand('takeKey', { numberOfKeys: 1, lua: script });
  const takeShared = (key: PacedKey) => {
    const { periods, epoch } = key;
    const rate = Math.min(rateOf(periods), mostPerMs);
    const keptMs = Math.ceil(Math.min(Math.max(periods.burst / rate, leastKeptMs), mostKeptMs));
    const args = [epoch, periods.burst, rate, rememberedOf(periods), keptMs];
    return connection.attempt(() =>
      (redis as unknown as PacingRedis).takeKey(prefix + markKey(key.viewerId, key.contentId), ...args),
    );
  };

  async function take(key: PacedKey): Promise<number> {
    const waitMs = await takeShared(key);
    if (waitMs === undefined) return local.take(key);
    if (waitMs > 0) return waitMs;
    local.note(key);
    return 0;
  }
  return {
    take(key) {
      if (!connection.isUp()) return local.take(key);
      const waitMs = local.look(key);
      return waitMs > 0 || local.wasGiven(key) ? waitMs : take(key);
    },
  };
}

/** With the command that `defineCommand` adds. */
interface PacingRedis {
  takeKey(name: string, ...args: number[]): Promise<number>;
}
