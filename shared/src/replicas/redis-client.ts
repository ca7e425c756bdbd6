import { createRequire } from 'node:module';
import { connect as connectTls } from 'node:tls';
import type { Redis, RedisOptions } from 'ioredis';
import { parseRedisUrl, type RedisPlace } from '../net/index.ts';
import type { TlsFiles } from '../tls/index.ts';
import { createTlsConnector, createTlsSentinelConnector } from './redis-connectors.ts';

/** Loads the client at the first connection: without Redis it would take 5 MB and 30 ms of each start. */
const loadModule = createRequire(import.meta.url);
type Library = typeof import('ioredis');
/** Answers in the form of RESP2, which is the library's default. */
type LegacyOptions = Omit<RedisOptions, 'replyMapping' | 'himportFieldsets'>;

/** How long a command waits for Redis. */
export interface RedisLimits {
  commandTimeoutMs: number;
  connectTimeoutMs: number;
  /** After this silence the connection is replaced: its other end may have vanished without closing it. */
  socketTimeoutMs: number;
}

const retryAtMostEveryMs = 1_000;
/** A cluster that moved its slots without an error on our side, such as a new node that took some. One small command each time. */
const refreshSlotsEveryMs = 10_000;
/** Read of no entry: a ping does not show that the slots of a cluster are served. */
const probeKey = 'latchkey:2:';

/** A client of ioredis, and how to see that it can be used. */
export interface RedisClient {
  redis: Redis;
  place: RedisPlace;
  /** A small command on our own database. */
  probe(): Promise<unknown>;
}

type SendCommand = Redis['sendCommand'];

/** In place of ioredis' `commandTimeout`, which takes a stall of this process for one of Redis. */
function limitCommand(command: Parameters<SendCommand>[0], commandTimeoutMs: number): void {
  // After a stall, timers come before the answers that have arrived meanwhile, and `setImmediate` after them.
  const timer = setTimeout(
    () => setImmediate(() => command.reject(new Error('Command timed out'))),
    commandTimeoutMs,
  );
  const settle = () => clearTimeout(timer);
  command.promise.then(settle, settle);
}

const delayOf = (times: number) => Math.min(times * 100, retryAtMostEveryMs);

/** @throws TypeError where the text is not a URL of Redis */
export function openRedisClient(url: string, limits: RedisLimits, tls: TlsFiles | null): RedisClient {
  const place = parseRedisUrl(url);
  if (typeof place === 'string') throw new TypeError(`the URL of Redis ${place}`);
  const library: Library = loadModule('ioredis');
  const createConnector = place.kind === 'sentinel' ? createTlsSentinelConnector : createTlsConnector;
  const options: LegacyOptions = {
    connectionName: 'latchkey',
    ...(place.username === '' ? {} : { username: place.username }),
    ...(place.password === '' ? {} : { password: place.password }),
    ...(place.isTls ? { tls: tlsOptions(tls), Connector: createConnector(library) } : {}),
    ...(place.family === 0 ? {} : { family: place.family }),
    maxRetriesPerRequest: 1,
    autoResendUnfulfilledCommands: false,
    connectTimeout: limits.connectTimeoutMs,
    socketTimeout: limits.socketTimeoutMs,
  };
  return place.kind === 'cluster'
    ? openCluster(library, place, options, limits)
    : openSingle(library, place, options, limits);
}

function openSingle(
  { Redis: Base }: Library,
  place: RedisPlace,
  options: LegacyOptions,
  { commandTimeoutMs, connectTimeoutMs }: RedisLimits,
): RedisClient {
  class TimedRedis extends Base {
    override sendCommand(...[command, stream]: Parameters<SendCommand>): unknown {
      limitCommand(command, commandTimeoutMs);
      return super.sendCommand(command, stream);
    }
  }
  const { hosts, sentinelUsername, sentinelPassword, db } = place;
  const where: LegacyOptions =
    place.kind === 'single'
      ? { ...hosts[0] }
      : {
          sentinels: hosts,
          name: place.primary,
          ...(sentinelUsername === '' ? {} : { sentinelUsername }),
          ...(sentinelPassword === '' ? {} : { sentinelPassword }),
          ...(options.tls ? { enableTLSForSentinelMode: true, sentinelTLS: options.tls } : {}),
          sentinelRetryStrategy: delayOf,
          sentinelCommandTimeout: connectTimeoutMs,
          // A sentinel says at once that another server is the primary now: the old one may not close its connections.
          failoverDetector: true,
        };
  const redis = new TimedRedis({
    ...options,
    ...where,
    db,
    enableOfflineQueue: false,
    retryStrategy: delayOf,
  });
  // After a refused SELECT the connection stays in another database. Every connection begins in database 0, and a user may lack the right to
  // SELECT.
  return { redis, place, probe: () => (db === 0 ? redis.ping() : redis.select(db)) };
}

function openCluster(
  { Cluster: Base }: Library,
  place: RedisPlace,
  redisOptions: LegacyOptions,
  { commandTimeoutMs, connectTimeoutMs }: RedisLimits,
): RedisClient {
  class TimedCluster extends Base {
    override sendCommand(
      ...[command, stream, node]: Parameters<InstanceType<typeof Base>['sendCommand']>
    ): unknown {
      // Once, also where a node says that another one has the slot.
      if (node === undefined) limitCommand(command, commandTimeoutMs);
      return super.sendCommand(command, stream, node);
    }
  }
  const cluster = new TimedCluster([...place.hosts], {
    redisOptions,
    enableOfflineQueue: false,
    clusterRetryStrategy: delayOf,
    slotsRefreshTimeout: connectTimeoutMs,
    slotsRefreshInterval: refreshSlotsEveryMs,
    // The names are left to the connection, which verifies the certificate by them.
    dnsLookup: (address, callback) => callback(null, address),
  });
  return {
    // Only commands, events, `status` and `disconnect` are used, and both have those.
    redis: cluster as unknown as Redis,
    place,
    probe: () => cluster.getrange(probeKey, 0, 0),
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
 * Finds why no sentinel can be reached by TLS: ioredis says only that the connection is closed.
 *
 * @returns null where TLS is not the reason
 */
export async function findSentinelFault(
  { hosts }: RedisPlace,
  tls: TlsFiles | null,
  timeoutMs: number,
): Promise<unknown> {
  for (const host of hosts) {
    const fault = await new Promise<unknown>((resolve) => {
      const socket = connectTls({ ...host, ...tls?.current(), timeout: timeoutMs }, () => resolve(null));
      socket.on('error', resolve);
      socket.once('timeout', () => resolve(null));
      socket.once('close', () => resolve(null));
    });
    if (fault) return fault;
  }
  return null;
}
