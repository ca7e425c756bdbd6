import { markKey } from '@latchkey/shared/authority';
import type { RedisConnection } from '@latchkey/shared/replicas';
import { type KeyPace, type PacedKey, rateOf, rememberedOf } from './key-pace.ts';
import type { LocalPace } from './local-pace.ts';

/**
 * A bucket in Redis: one hash with its level, its time, and the epochs given last, as a ring and by their number. Redis
 * runs a script alone, so two replicas cannot both take the last key. It goes by the clock of Redis, so that those of the
 * replicas need not agree. It holds no more than the asking replica's own bucket, in case Redis has lost it. The answer is
 * what is left, below 0 where the key is refused.
 */
const script = `
local bucket = redis.call('HMGET', KEYS[1], 'level', 'at', 'count', ARGV[1])
local burst, rate, remembered = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local level = burst
if bucket[1] then level = math.min(burst, bucket[1] + math.max(0, now - bucket[2]) * rate) end
if bucket[4] then return tostring(level) end
level = math.min(level, tonumber(ARGV[5]))
if level < 1 then return tostring(level - 1) end
local count = tonumber(bucket[3] or 0)
local place = 'given' .. count % remembered
local oldest = redis.call('HGET', KEYS[1], place)
if oldest then redis.call('HDEL', KEYS[1], oldest) end
redis.call('HSET', KEYS[1], 'level', level - 1, 'at', now, 'count', count + 1, place, ARGV[1], ARGV[1], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[6])
return tostring(level - 1)
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
 * One bucket for all replicas. Where Redis does not answer, each replica decides by its own, which follows the shared one:
 * a looser bound, and no outage. A new key is given only where both allow it, so a Redis that loses its buckets loosens no
 * more than that.
 */
export function createSharedPace(connection: RedisConnection, local: LocalPace): KeyPace {
  const { redis } = connection;
  redis.defineCommand('takeKey', { numberOfKeys: 1, lua: script });
  /** The requests that are under way, by viewer and content: one at a time, so that a flood does not slow Redis down. */
  const underWay = new Map<string, Promise<number>>();

  const ask = (name: string, key: PacedKey) => {
    const { periods, epoch } = key;
    const rate = Math.min(rateOf(periods), mostPerMs);
    const keptMs = Math.ceil(Math.min(Math.max(periods.burst / rate, leastKeptMs), mostKeptMs));
    const args = [epoch, periods.burst, rate, rememberedOf(periods), local.level(key), keptMs];
    return connection.attempt(() => (redis as unknown as PacingRedis).takeKey(prefix + name, ...args));
  };

  async function takeShared(name: string, key: PacedKey): Promise<number> {
    // Once more: one slow answer is not an outage, and Redis may have given the key meanwhile.
    const answer = (await ask(name, key)) ?? (await ask(name, key));
    const left = Number(answer ?? Number.NaN);
    if (Number.isNaN(left)) return local.take(key);
    const isGiven = left >= 0;
    local.follow(key, isGiven ? left : left + 1, isGiven);
    return isGiven ? 0 : -left / rateOf(key.periods);
  }

  function take(key: PacedKey): number | Promise<number> {
    if (!connection.isUp()) return local.take(key);
    if (local.wasGiven(key)) return 0;
    const name = markKey(key.viewerId, key.contentId);
    const earlier = underWay.get(name);
    if (earlier) return earlier.then(() => take(key));
    const taking = takeShared(name, key).finally(() => underWay.delete(name));
    underWay.set(name, taking);
    return taking;
  }
  return { take };
}

/** With the command that `defineCommand` adds. */
interface PacingRedis {
  takeKey(name: string, ...args: number[]): Promise<string>;
}
