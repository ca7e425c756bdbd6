import { createRequire } from 'node:module';
import type { Redis, RedisOptions } from 'ioredis';
import { parseRedisUrl, type RedisPlace } from '../net/index.ts';
import type { TlsFiles } from '../tls/index.ts';

/** Loads the client at the first connection: without Redis it would take 5 MB and 30 ms of each start. */
const loadModule = createRequire(import.meta.url);
type Library = typeof import('ioredis');
/** Answers in the form of RESP2, which is the library's default. */
type LegacyOptions = Omit<RedisOptions, 'replyMapping' | 'himportFieldsets'>;
type SendCommand = Redis['sendCommand'];

/** How long a command waits for Redis. */
export interface RedisLimits {
  commandTimeoutMs: number;
  connectTimeoutMs: number;
  /** After this silence the connection is replaced: its other end may have vanished without closing it. */
  socketTimeoutMs: number;
}

const retryAtMostEveryMs = 1_000;
const delayOf = (times: number) => Math.min(times * 100, retryAtMostEveryMs);

/** A client of ioredis, and how to see that it can be used. */
export type RedisClient = ReturnType<typeof openRedisClient>;

/**
 * @param onError called with each error of the connection, in place of the event of the library. If no Sentinel can be
 *   used, the error of one explains why
 * @throws TypeError if the text is not a URL of Redis
 */
export function openRedisClient(
  url: string,
  limits: RedisLimits,
  tls: TlsFiles | null,
  onError: (error: unknown) => void,
) {
  const place = parseRedisUrl(url);
  if (typeof place === 'string') throw new TypeError(`the URL of Redis ${place}`);
  const library: Library = loadModule('ioredis');
  /** In place of `commandTimeout` of the library, which takes a stall of this process for one of Redis. */
  class TimedRedis extends library.Redis {
    override sendCommand(...[command, stream]: Parameters<SendCommand>): unknown {
      // After a stall, timers come before the answers that have arrived meanwhile, and `setImmediate` after them.
      const timer = setTimeout(
        () => setImmediate(() => command.reject(new Error('Command timed out'))),
        limits.commandTimeoutMs,
      );
      const settle = () => clearTimeout(timer);
      command.promise.then(settle, settle);
      return super.sendCommand(command, stream);
    }
  }
  let ofSentinel: unknown;
  const redis: Redis = new TimedRedis({
    ...optionsOf(place, limits, tls),
    ...(place.kind === 'sentinel' && {
      Connector: createSentinelConnector(library, (error) => {
        ofSentinel = error;
      }),
    }),
  });
  listen(redis, (error) => onError(isOfSentinels(error) ? (ofSentinel ?? error) : error));
  return {
    redis,
    /**
     * A small command on our own database. After a refused SELECT the connection stays in another one. Every connection begins in
     * database 0, and a user may lack the right to SELECT.
     */
    probe: (): Promise<unknown> => (place.db === 0 ? redis.ping() : redis.select(place.db)),
    /** Ends the connection. Until then a lost one is always made again. */
    close: keepConnecting(redis),
  };
}

function optionsOf(place: RedisPlace, limits: RedisLimits, tls: TlsFiles | null): LegacyOptions {
  const { kind, hosts, family, db, primary, username, password, sentinelUsername, sentinelPassword } = place;
  const ssl = place.isTls ? tlsOptions(tls) : null;
  return {
    connectionName: 'latchkey',
    ...(kind === 'single'
      ? hosts[0]
      : {
          sentinels: hosts,
          name: primary,
          sentinelUsername,
          sentinelPassword,
          sentinelRetryStrategy: delayOf,
          sentinelCommandTimeout: limits.connectTimeoutMs,
          // A sentinel reports a new primary at once: the old one may not close its connections.
          failoverDetector: true,
          ...(ssl && { enableTLSForSentinelMode: true, sentinelTLS: ssl }),
        }),
    ...(ssl && { tls: ssl }),
    ...(family !== 0 && { family }),
    ...(username && { username }),
    ...(password && { password }),
    db,
    connectTimeout: limits.connectTimeoutMs,
    socketTimeout: limits.socketTimeoutMs,
    retryStrategy: delayOf,
    // A primary that became a replica: the next connection goes to the one that the sentinels or the name lead to now.
    reconnectOnError: ({ message }) => message.startsWith('READONLY '),
    maxRetriesPerRequest: 1,
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
  };
}

/** ioredis copies these at each connection, so that changed files count from the next one on. */
function tlsOptions(tls: TlsFiles | null): NonNullable<LegacyOptions['tls']> {
  if (!tls) return {};
  return {
    get ca() {
      return tls.current().ca;
    },
    get cert() {
      return tls.current().cert;
    },
    get key() {
      return tls.current().key;
    },
  };
}

/**
 * Without a listener, ioredis writes errors to the console. It listens to the first error of a socket alone. A refused handshake may have a second
 * one, the alert of the other side, which would end the process.
 */
function listen(redis: Redis, onError: (error: unknown) => void): void {
  redis.on('error', (error) => {
    redis.stream?.on('error', () => {});
    onError(error);
  });
}

const isOfSentinels = (error: unknown) =>
  error instanceof Error && error.message.startsWith('All sentinels are unreachable');

/** The part of the library's class that its types do not show. */
type SentinelBase = new (options: RedisOptions) => { connectToSentinel(...given: unknown[]): Redis };

/** Of a sentinel that cannot be used, the library says only that the connection is closed. */
function createSentinelConnector(library: Library, onError: (error: unknown) => void) {
  const Base = library.SentinelConnector as unknown as SentinelBase;
  return class extends Base {
    override connectToSentinel(...given: unknown[]) {
      const client = super.connectToSentinel(...given);
      listen(client, onError);
      return client;
    }
  } as unknown as NonNullable<RedisOptions['Connector']>;
}

/**
 * Connects again where the library has stopped trying. It does so after an error before there is a socket. A sentinel can cause one: it reports a
 * new primary while the client is asking for the address of the primary (https://github.com/redis/ioredis/issues/1683).
 *
 * @returns a function that ends the connection
 */
function keepConnecting(redis: Redis): () => void {
  let isClosed = false;
  let ends = 0;
  const connect = () => {
    if (!isClosed) redis.connect().catch(() => {});
  };
  redis.on('ready', () => {
    ends = 0;
  });
  redis.on('end', () => {
    if (!isClosed) setTimeout(connect, delayOf(++ends)).unref();
  });
  return () => {
    isClosed = true;
    redis.disconnect();
  };
}
