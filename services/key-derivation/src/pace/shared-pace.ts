import { markKey } from '@latchkey/shared/authority';
import type { RedisConnection } from '@latchkey/shared/replicas';
import { type KeyPace, oneKey, type PacedKey, type PaceState, rateOf, rememberedOf } from './key-pace.ts';
import type { LocalPace } from './local-pace.ts';

/** The bucket of `KEYS[1]` as it is now. The arguments of both scripts begin with epoch, burst and keys in each millisecond. */
const readBucket = `
local bucket = redis.call('HMGET', KEYS[1], 'level', 'at', 'count', ARGV[1])
local burst, rate = tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local level = burst
if bucket[1] then level = math.min(burst, bucket[1] + math.max(0, now - bucket[2]) * rate) end
`;
/**
 * A bucket in Redis: one hash with its level, its time, and the epochs given last, as a ring and by their number. Redis
 * runs a script alone, so two replicas cannot both take the last key. It uses the clock of Redis, so the clocks of the
 * replicas need not agree. It holds no more than the asking replica's own bucket, in case Redis has lost it. The answer is
 * the number of keys that are left, below 0 if the key is refused, and whether the key was counted now.
 */
const script = `
${readBucket}
if bucket[4] then return {tostring(level), 0} end
level = math.min(level, tonumber(ARGV[5]))
local remembered = tonumber(ARGV[4])
if level < ${oneKey} then return {tostring(level - 1), 0} end
local count = tonumber(bucket[3] or 0)
local place = 'given' .. count % remembered
local oldest = redis.call('HGET', KEYS[1], place)
if oldest then redis.call('HDEL', KEYS[1], oldest) end
redis.call('HSET', KEYS[1], 'level', math.max(0, level - 1), 'at', now, 'count', count + 1, place, ARGV[1], ARGV[1], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[6])
return {tostring(math.max(0, level - 1)), 1}
`;
/** The same bucket, with nothing taken: its level, and whether the epoch was given lately. */
const lookScript = `
${readBucket}
return {tostring(math.min(level, tonumber(ARGV[4]))), bucket[4] and 1 or 0}
`;
/** The version of the stored form, as for the shared states. */
const prefix = 'latchkey:2:pace:';
/** Above every rate that matters, and finite for Lua. */
const mostPerMs = 1e6;
/** A bucket is kept until it is full again, and this long at least, for what was given lately. */
const leastKeptMs = 300_000;
/** The largest burst. No honest player has more requests under way, for one content. */
const longestLine = 1_000;
/** The refusal of what comes beyond that. */
const crowdedMs = 1_000;
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
  redis.defineCommand('lookAtPace', { numberOfKeys: 1, lua: lookScript });
  /** The requests that wait, by viewer and content: one at a time, so that a flood of one viewer does not slow Redis down. */
  const lines = new Map<string, { last: Promise<number>; length: number }>();

  const ask = (name: string, { periods, epoch }: PacedKey, ownLevel: number) => {
    const rate = Math.min(rateOf(periods), mostPerMs);
    const keptMs = Math.ceil(Math.min(Math.max(periods.burst / rate, leastKeptMs), mostKeptMs));
    const args = [epoch, periods.burst, rate, rememberedOf(periods), ownLevel, keptMs];
    return connection.attempt(() => (redis as unknown as PacingRedis).takeKey(prefix + name, ...args));
  };

  async function takeShared(name: string, key: PacedKey): Promise<number> {
    const ownLevel = local.level(key);
    // Taken before the answer: while Redis is asked, it may go away, and this process decides alone.
    const isReserved = ownLevel >= oneKey;
    if (isReserved) local.add(key, -1);
    // Once more: one slow answer is not an outage. Redis may have counted the key meanwhile.
    const first = await ask(name, key, ownLevel);
    const answer = first ?? (await ask(name, key, ownLevel));
    if (answer === undefined && !isReserved) return local.take(key);
    const [left, counted] = answer ?? [ownLevel - 1, 1];
    const isGiven = Number(left) >= 0;
    const isCounted = isGiven && (counted === 1 || first === undefined);
    if (isReserved && !isCounted) local.add(key, 1);
    local.lower(key, isGiven ? Number(left) : Number(left) + 1);
    if (isGiven) local.remember(key);
    return isGiven ? 0 : -left / rateOf(key.periods);
  }

  /** @returns undefined where Redis is needed */
  function takeAlone(key: PacedKey): number | undefined {
    if (!connection.isUp()) return local.take(key);
    return local.wasGiven(key) ? 0 : undefined;
  }

  function take(key: PacedKey): number | Promise<number> {
    const waitMs = takeAlone(key);
    if (waitMs !== undefined) return waitMs;
    const name = markKey(key.viewerId, key.contentId);
    const line = lines.get(name) ?? { last: Promise.resolve(0), length: 0 };
    if (line.length >= longestLine) return crowdedMs;
    line.length++;
    lines.set(name, line);
    line.last = line.last
      .then(() => takeAlone(key) ?? takeShared(name, key))
      .finally(() => {
        if (--line.length === 0) lines.delete(name);
      });
    return line.last;
  }

  async function look(key: PacedKey): Promise<PaceState> {
    const { periods, epoch } = key;
    const own = local.look(key);
    const name = prefix + markKey(key.viewerId, key.contentId);
    const rate = Math.min(rateOf(periods), mostPerMs);
    const answer = await connection.attempt(() =>
      (redis as unknown as PacingRedis).lookAtPace(name, epoch, periods.burst, rate, own.level),
    );
    if (answer === undefined) return own;
    return { level: Number(answer[0]), wasGiven: own.wasGiven || answer[1] === 1 };
  }
  return { take, look };
}

/** With the commands that `defineCommand` adds. */
interface PacingRedis {
  takeKey(name: string, ...args: number[]): Promise<[left: string, counted: number]>;
  lookAtPace(name: string, ...args: number[]): Promise<[level: string, wasGiven: number]>;
}
