import { createRequire } from 'node:module';
import type { PostgresPool } from 'kysely';
import type pg from 'pg';
import { asRenewable, createLogins, type RenewableText } from '../net/index.ts';
import type { TlsFiles } from '../tls/index.ts';
import { createStatementNames } from './kept-statements.ts';
import { LazyConnection, type SparingPoolOptions } from './lazy-connection.ts';
import { createLoginRetry, watchLogin } from './postgres-logins.ts';
import { type PoolMode, prepareSession, statementTimeoutMs } from './postgres-session.ts';
import { connectToAny, createPostgresTargets, placeOfPostgres } from './postgres-targets.ts';
import { createSemaphore } from './semaphore.ts';

/** Loads the driver at the first Postgres database: on SQLite it would take 2 MB and 15 ms of each start. */
const loadModule = createRequire(import.meta.url);
/** OID of `int8` in pg_type: arrives as text, because it can exceed 2^53. Our milliseconds and counts cannot. */
const int8Oid = 20;
/** Small enough for ten processes on Postgres' default of 100 connections. */
const maxConnections = 10;
const defaultConnectionTimeoutMs = 2_000;
/** The server's limit cannot end a statement when the network is cut, so the client has its own limit, a second later. */
const answerTimeoutMs = statementTimeoutMs + 1_000;

/** Connections, and the statements and transactions that wait for one. */
export interface PoolUsage {
  used: number;
  idle: number;
  waiting: number;
  max: number;
}

interface MeasuredPool extends PostgresPool {
  usage(): PoolUsage;
}

export interface PoolOptions {
  /** Whether a statement may take as long as it needs: a migration may have to read every row. */
  longStatements?: boolean;
  /** How long a statement may wait for a connection to Postgres; 2 s where it is left out. */
  connectionTimeoutMs?: number;
  /** The files for TLS. */
  tls?: TlsFiles | null;
  /** `auto` where it is left out. */
  poolMode?: PoolMode;
  /** Called when Postgres refuses every login that this process knows. */
  onLoginRefused?: (error: unknown) => void;
  /** Called when the URL has changed to another server or database, which is not taken. */
  onOtherPlace?: () => void;
}

/** A session, and the server that it is on. */
type PooledSession = Awaited<ReturnType<typeof prepareSession>> & { turn: number };

interface ServerPool {
  pool: pg.Pool;
  connect(): Promise<pg.PoolClient>;
  sessionOf(client: pg.PoolClient): PooledSession | undefined;
  /** The server that new connections go to. */
  turn(): number;
}

/**
 * A pool for Kysely in which waiting writes leave connections to the reads.
 *
 * @param databaseUrl whose user and password may change: a new connection takes the present ones
 */
export function openPostgres(
  databaseUrl: string | RenewableText,
  onConnectionFault: (error: Error) => void,
  options: PoolOptions,
): MeasuredPool {
  const { pool, ...server } = openPostgresPool(databaseUrl, onConnectionFault, options);
  const waitMs = options.connectionTimeoutMs ?? defaultConnectionTimeoutMs;
  return createSparingPool(pool, { maxConnections, waitMs, ...server });
}

export function openPostgresPool(
  databaseUrl: string | RenewableText,
  onConnectionFault: (error: Error) => void,
  options: PoolOptions = {},
): ServerPool {
  const { longStatements = false, connectionTimeoutMs = defaultConnectionTimeoutMs } = options;
  const { Pool, Client, types }: typeof pg = loadModule('pg');
  const source = asRenewable(databaseUrl);
  const targets = createPostgresTargets(source.reveal(), options.tls ?? null);
  const logins = createLogins({ source, placeOf: placeOfPostgres, onOtherPlace: options.onOtherPlace });
  const refusedLogins = new WeakMap<object, string>();
  const turns = new WeakMap<object, number>();
  const sessions = new WeakMap<object, PooledSession>();
  /** Reads the files for TLS and takes the server and the login at each connection, which the pool's own options could not. */
  class TargetClient extends Client {
    constructor(config: pg.ClientConfig) {
      const login = logins.current();
      super({ ...config, ...targets.current(login) });
      turns.set(this, targets.turn());
      watchLogin(this, {
        onAccepted: () => logins.accept(login),
        onRefused: (error) => refusedLogins.set(error, login),
      });
    }
  }
  const pool = new Pool({
    Client: TargetClient as never,
    max: maxConnections,
    connectionTimeoutMillis: connectionTimeoutMs,
    ...(longStatements ? {} : { query_timeout: answerTimeoutMs }),
    application_name: 'latchkey',
    async onConnect(client) {
      const session = await prepareSession(client, longStatements, options.poolMode);
      sessions.set(client, { ...session, turn: turns.get(client) ?? 0 });
    },
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8Oid ? Number : types.getTypeParser(oid, format),
    } as pg.CustomTypesConfig,
  });
  // Without a listener, a connection that breaks while idle would end the process.
  pool.on('error', onConnectionFault);
  // The pool does not listen while a connection is in use either: one that breaks between two statements of a transaction
  // would end the process too. The next statement reports the failure.
  let openConnections = 0;
  pool.on('connect', (client) => {
    client.on('error', () => {});
    openConnections++;
  });
  pool.on('remove', () => void openConnections--);
  const connect = createLoginRetry({
    ...{ pool, logins, waitMs: connectionTimeoutMs, onRefused: options.onLoginRefused ?? (() => {}) },
    refusedLogin: (error) => refusedLogins.get(error as object),
    openConnections: () => openConnections,
  });
  return {
    pool,
    connect: () => connectToAny(connect, targets),
    sessionOf: (client) => sessions.get(client),
    turn: targets.turn,
  };
}

/** Connections for plain reads only: the feed is read each second, in addition to look-ups and `/ready`. */
const readersOnly = 3;
/**
 * The pool as Kysely sees it, with some connections that writes never take. Where a synchronous standby is lost, a commit
 * waits for as long as Postgres likes. No limit of Postgres ends that wait, because it lifts `statement_timeout` before
 * it commits. Without reserved connections a few waiting writes would stop the reading of the feed, and with it every
 * key.
 *
 * A caller gets a connection with its first statement, which shows whether it reads. A transaction counts as a write.
 */
export function createSparingPool(pool: pg.Pool, options: SparingPoolOptions): MeasuredPool {
  const writes = createSemaphore(options.maxConnections - readersOnly, options.waitMs);
  const nameOf = createStatementNames();
  return {
    connect: async () => new LazyConnection(pool, { ...options, writes, nameOf }),
    end: () => pool.end(),
    options: pool.options,
    usage: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + writes.waiting(),
      max: options.maxConnections,
    }),
  };
}
