import { createRequire } from 'node:module';
import { connect as connectTls } from 'node:tls';
import type { Redis, RedisOptions } from 'ioredis';
import {
  asRenewable,
  createLogins,
  parseRedisUrl,
  type RedisPlace,
  type RenewableText,
} from '../net/index.ts';
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
  /**
   * Redis refused the user or the password.
   *
   * @returns whether the next connection presents another one
   */
  refuseLogin(): boolean;
  /** Redis answers: the login of this connection was accepted. */
  acceptLogin(): void;
  /** Ends the connection. Until then a lost one is always made again. */
  close(): void;
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

/** How a process identifies itself and Redis, beside what the URL says. */
export interface RedisAccess {
  tls?: TlsFiles | null;
  /** Called when the URL has changed to another place, which is not taken. */
  onOtherPlace?: (() => void) | undefined;
}

/**
 * @param url whose users and passwords may change: a new connection takes the present ones
 * @throws TypeError where the text is not a URL of Redis
 */
export function openRedisClient(
  url: string | RenewableText,
  limits: RedisLimits,
  { tls = null, onOtherPlace }: RedisAccess,
): RedisClient {
  const source = asRenewable(url);
  const place = readPlace(source.reveal());
  const logins = createLogins({ source, onOtherPlace, placeOf: (text) => describePlace(readPlace(text)) });
  let presented = '';
  const login = () => {
    presented = logins.current();
    return readPlace(presented);
  };
  const { redis, probe } = openClient(place, login, limits, tls);
  return {
    ...{ redis, place, probe, close: keepConnecting(redis) },
    refuseLogin: () => logins.refuse(presented),
    acceptLogin: () => logins.accept(presented),
  };
}

/**
 * Connects again where the library has stopped trying. It does so after an error before there is a socket. A sentinel can cause one: it reports a
 * new primary while the client is asking for the address of the primary.
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

function readPlace(url: string): RedisPlace {
  const place = parseRedisUrl(url);
  if (typeof place === 'string') throw new TypeError(`the URL of Redis ${place}`);
  return place;
}

/** All but the logins. */
function describePlace({
  username,
  password,
  sentinelUsername,
  sentinelPassword,
  ...place
}: RedisPlace): string {
  return JSON.stringify(place);
}

type Client = Pick<RedisClient, 'redis' | 'probe'>;

/** @param login what a new connection presents */
function openClient(
  place: RedisPlace,
  login: () => RedisPlace,
  limits: RedisLimits,
  tls: TlsFiles | null,
): Client {
  const library: Library = loadModule('ioredis');
  const createConnector = place.kind === 'sentinel' ? createTlsSentinelConnector : createTlsConnector;
  const options: LegacyOptions = {
    connectionName: 'latchkey',
    ...(place.isTls ? { tls: tlsOptions(tls), Connector: createConnector(library) } : {}),
    ...(place.family === 0 ? {} : { family: place.family }),
    maxRetriesPerRequest: 1,
    autoResendUnfulfilledCommands: false,
    connectTimeout: limits.connectTimeoutMs,
    socketTimeout: limits.socketTimeoutMs,
  };
  return place.kind === 'cluster'
    ? openCluster(library, { place, login, options, limits })
    : openSingle(library, { place, login, options, limits });
}

interface ClientParts {
  place: RedisPlace;
  login: () => RedisPlace;
  options: LegacyOptions;
  limits: RedisLimits;
}

/** The library reads these at each connection. As plain values it would copy them once. */
function presentLogin(options: object, login: () => RedisPlace): void {
  const define = (name: keyof RedisOptions, read: (place: RedisPlace) => string) =>
    Object.defineProperty(options, name, {
      get: () => read(login()) || undefined,
      enumerable: true,
      configurable: true,
    });
  define('username', (place) => place.username);
  define('password', (place) => place.password);
  define('sentinelUsername', (place) => place.sentinelUsername);
  define('sentinelPassword', (place) => place.sentinelPassword);
}

function openSingle(
  { Redis: Base }: Library,
  { place, login, options, limits: { commandTimeoutMs, connectTimeoutMs } }: ClientParts,
): Client {
  class TimedRedis extends Base {
    override sendCommand(...[command, stream]: Parameters<SendCommand>): unknown {
      limitCommand(command, commandTimeoutMs);
      return super.sendCommand(command, stream);
    }
  }
  const { hosts, db } = place;
  const where: LegacyOptions =
    place.kind === 'single'
      ? { ...hosts[0] }
      : {
          sentinels: hosts,
          name: place.primary,
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
    // At the end of its construction it would connect without a login.
    lazyConnect: true,
    retryStrategy: delayOf,
  });
  presentLogin(redis.options, login);
  redis.connect().catch(() => {});
  // After a refused SELECT the connection stays in another database. Every connection begins in database 0, and a user may lack the right to
  // SELECT.
  return { redis, probe: () => (db === 0 ? redis.ping() : redis.select(db)) };
}

function openCluster(
  { Cluster: Base }: Library,
  { place, login, options: redisOptions, limits: { commandTimeoutMs, connectTimeoutMs } }: ClientParts,
): Client {
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
  // Before it connects. It copies its options for each node.
  cluster.on('+node', (node: Redis) => presentLogin(node.options, login));
  return {
    // Only commands, events, `status` and `disconnect` are used, and both have those.
    redis: cluster as unknown as Redis,
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
