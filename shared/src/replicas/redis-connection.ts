import { createRequire } from 'node:module';
import type { Redis } from 'ioredis';

/** Loads the client at the first connection: without Redis it would take 5 MB and 30 ms of each start. */
const loadModule = createRequire(import.meta.url);

/** How long a command waits for Redis. */
export interface RedisLimits {
  commandTimeoutMs: number;
  connectTimeoutMs: number;
  /** After this silence the connection is replaced: its other end may have vanished without closing it. */
  socketTimeoutMs: number;
}

export const usualLimits: RedisLimits = {
  // A look-up on the same network takes well under a millisecond; calling the owner instead takes a few.
  commandTimeoutMs: 50,
  connectTimeoutMs: 2_000,
  socketTimeoutMs: 5_000,
};
const retryAtMostEveryMs = 1_000;
/** How soon a change of Redis between answering and not answering is noticed. Each probe is one small command. */
const probeEveryMs = 500;
/** This many failures in a row are not chance. Each may have cost a request the whole time limit. */
const failuresInARow = 3;

export interface RedisConnection {
  /** Its commands fail fast and never queue. */
  readonly redis: Redis;
  /** Whether a command is likely to succeed. */
  isUp(): boolean;
  /**
   * Runs a command that may fail.
   *
   * @returns undefined where Redis is down or did not answer in time
   */
  attempt<T>(command: (redis: Redis) => Promise<T>): Promise<T | undefined>;
  close(): void;
}

/**
 * Connects in the background, and always reconnects. A dead Redis refuses at once, but a paused one or a cut network
 * would cost each call its time limit. After some failures in a row, no command is sent until a probe is answered. The
 * same holds for each new connection: one whose password or database was refused never gets a command.
 *
 * @param onFault called with the reason why Redis cannot be used: once for each outage, the one at the start included
 */
export function connectRedis(
  url: string,
  onFault: (error: unknown) => void,
  limits: RedisLimits = usualLimits,
): RedisConnection {
  const redis = openRedis(url, limits);
  const outage = createRedisOutage(onFault);
  let failures = failuresInARow;
  let wasReady = false;
  let closing = false;
  const isUp = () => redis.status === 'ready' && failures < failuresInARow;

  function report(error: unknown): void {
    if (!closing) outage.report(error);
  }

  function fail(error: unknown, count: number): void {
    failures += count;
    // A connection that is lost, or cannot be made, reports the reason in a separate event.
    if (failures >= failuresInARow && redis.status === 'ready') report(error);
  }

  async function probe(): Promise<void> {
    if (redis.status !== 'ready') return;
    try {
      await selectDatabase(redis);
      failures = 0;
      outage.end();
    } catch (error) {
      fail(error, failuresInARow);
    }
  }
  // Without a listener, ioredis writes to the console.
  redis.on('error', report);
  redis.on('ready', () => {
    wasReady = true;
    void probe();
  });
  redis.on('close', () => {
    if (!wasReady) report(new Error('the connection was closed before it could be used'));
    wasReady = false;
    failures = failuresInARow;
  });
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
      closing = true;
      clearInterval(probing);
      redis.disconnect();
    },
  };
}

/** Probes Redis on our own database: after a refused SELECT the connection stays in another one. */
function selectDatabase(redis: Redis): Promise<unknown> {
  // Every connection begins in database 0, and a user may lack the right to SELECT.
  return redis.options.db === 0 ? redis.ping() : redis.select(redis.options.db ?? 0);
}

function openRedis(url: string, { commandTimeoutMs, connectTimeoutMs, socketTimeoutMs }: RedisLimits): Redis {
  const { Redis: RedisClient }: typeof import('ioredis') = loadModule('ioredis');
  /** In place of `commandTimeout`, which takes a stall of this process for one of Redis. */
  class TimedRedis extends RedisClient {
    override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
      // After a stall, timers come before the answers that have arrived meanwhile, and `setImmediate` after them.
      const timer = setTimeout(
        () => setImmediate(() => command.reject(new Error('Command timed out'))),
        commandTimeoutMs,
      );
      const settle = () => clearTimeout(timer);
      command.promise.then(settle, settle);
      return super.sendCommand(command, stream);
    }
  }
  return new TimedRedis(url, {
    connectionName: 'latchkey',
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    autoResendUnfulfilledCommands: false,
    connectTimeout: connectTimeoutMs,
    socketTimeout: socketTimeoutMs,
    retryStrategy: (times) => Math.min(times * 100, retryAtMostEveryMs),
  });
}

/** Maximum number of different refusals reported in one outage. Redis has few, and one outage seldom more than one. */
const mostReasons = 5;

/** Reports an outage once, however often it is noticed. */
interface RedisOutage {
  report(error: unknown): void;
  /** The outage is over: the next one is reported again. */
  end(): void;
}

/**
 * A Redis that answers with a refusal waits for the operator, unlike one that has not started yet. So each refusal
 * (NOAUTH, a missing database) is reported, even where the outage began with another error.
 *
 * @param onFault called with the reason, as an Error without a command's arguments, so without a password
 */
export function createRedisOutage(onFault: (error: Error) => void): RedisOutage {
  const reported = new Set<string>();
  return {
    report(error) {
      const reason = withoutArguments(error);
      if (reported.size > 0 && !isReply(error)) return;
      if (reported.has(reason.message) || reported.size >= mostReasons) return;
      reported.add(reason.message);
      onFault(reason);
    },
    end: () => reported.clear(),
  };
}

/** Whether Redis itself refused: an error of ioredis' `ReplyError`, by its name so that the class need not be loaded. */
function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

/** A command's error carries its arguments, and Redis repeats those of an unknown command. */
function withoutArguments(error: unknown): Error {
  const { message, code }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  const reason = new Error(message.replace(/,? with args beginning with.*/s, ''));
  return code === undefined ? reason : Object.assign(reason, { code });
}
