import { Redis } from 'ioredis';

/** A look-up on the same network takes well under one millisecond; asking the owner instead takes a few. */
const commandTimeoutMs = 50;
const connectTimeoutMs = 2_000;
const retryAtMostEveryMs = 1_000;
/** How soon it is noticed that Redis has stopped answering or answers again; one small command each time. */
const probeEveryMs = 500;
/** So many commands in a row are no accident. Each may have cost a request the whole time limit. */
const failuresInARow = 3;
/** After this silence the connection is made anew: its other end may be gone without a word. */
const socketTimeoutMs = 5_000;

export interface RedisConnection {
  /** Its commands fail fast and never queue. */
  readonly redis: Redis;
  /** Whether it is worth asking. */
  isUp(): boolean;
  /**
   * Runs a command that Redis may fail at.
   *
   * @returns undefined where Redis is down or did not answer in time
   */
  attempt<T>(command: (redis: Redis) => Promise<T>): Promise<T | undefined>;
  close(): void;
}

/**
 * Connects in the background, and again for ever. A dead Redis refuses at once, but a paused one or a cut network would
 * cost each question its time limit: after some failures in a row, nothing is asked until a probe is answered.
 *
 * @param onFault hears each time that Redis is lost
 */
export function connectRedis(url: string, onFault: (error: unknown) => void): RedisConnection {
  const redis = new Redis(url, {
    connectionName: 'latchkey',
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    autoResendUnfulfilledCommands: false,
    commandTimeout: commandTimeoutMs,
    connectTimeout: connectTimeoutMs,
    socketTimeout: socketTimeoutMs,
    retryStrategy: (times) => Math.min(times * 100, retryAtMostEveryMs),
  });
  let failures = failuresInARow;
  let lastError: unknown = null;
  const isUp = () => redis.status === 'ready' && failures < failuresInARow;

  function fail(error: unknown, count: number): void {
    const wasUp = failures < failuresInARow;
    failures += count;
    if (wasUp && failures >= failuresInARow) onFault(error);
  }

  async function probe(): Promise<void> {
    try {
      await redis.ping();
      failures = 0;
    } catch (error) {
      // A connection that could not be made says why in an event of its own.
      fail(redis.status === 'ready' ? error : (lastError ?? error), failuresInARow);
    }
  }
  // Without a listener, ioredis writes to the console.
  redis.on('error', (error) => {
    lastError = error;
  });
  redis.on('ready', () => void probe());
  const probing = setInterval(() => void probe(), probeEveryMs);
  probing.unref();

  return {
    redis,
    isUp,
    async attempt(command) {
      if (!isUp()) return undefined;
      try {
        const result = await command(redis);
        if (failures < failuresInARow) failures = 0;
        return result;
      } catch (error) {
        fail(error, 1);
        return undefined;
      }
    },
    close() {
      clearInterval(probing);
      redis.disconnect();
    },
  };
}
