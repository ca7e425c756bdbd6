import { createRequire } from 'node:module';
import type { PostgresPool } from 'kysely';
import type pg from 'pg';
import type { TlsFiles } from '../tls/index.ts';
import { createStatementNames } from './kept-statements.ts';
import { PostgresClient, type ServerClient, type ServerPool } from './postgres-client.ts';
import { type PoolMode, prepareSession, statementTimeoutMs } from './postgres-session.ts';
import { connectToAny, createPostgresTargets, type PostgresTargets } from './postgres-targets.ts';

/** Loads the driver at the first Postgres database: on SQLite it would take 2 MB and 15 ms of each start. */
const loadModule = createRequire(import.meta.url);
/** OID of `int8` in pg_type: arrives as text, because it can exceed 2^53. Our milliseconds and counts cannot. */
const int8Oid = 20;
/**
 * Connections of each pool. Together they are small enough for ten processes on Postgres' default of 100 connections. Writes have their own
 * pool: where a synchronous standby is lost, a commit waits for as long as Postgres likes, because `statement_timeout` is lifted before it
 * commits. In one pool a few waiting writes would stop the reading of the feed, and with it every key.
 */
const mostConnections = { reads: 4, writes: 6 };
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
  /** How long a statement may wait for a connection to Postgres. Default: 2 s. */
  connectionTimeoutMs?: number;
  tls?: TlsFiles | null;
  /** Default: `auto`. */
  poolMode?: PoolMode;
}

/** The connections to Postgres for Kysely. A caller gets one with its first statement, which shows whether it reads. A transaction writes. */
export function openPostgres(
  databaseUrl: string,
  onConnectionFault: (error: Error) => void,
  options: PoolOptions,
): MeasuredPool {
  const targets = createPostgresTargets(databaseUrl, options.tls ?? null);
  const open = (max: number) => openPool(targets, max, onConnectionFault, options);
  const [reads, writes] = [open(mostConnections.reads), open(mostConnections.writes)];
  const nameOf = createStatementNames();
  const serverPoolOf = (choose: () => pg.Pool): ServerPool => ({
    connect: async () => (await connectToAny(() => choose().connect(), targets)) as ServerClient,
  });
  const pools = {
    // A Postgres that is slow has many reads at the same time, and to open a connection takes it longer than a read may wait.
    // So they take any open connection that the writes leave, and never wait for a write.
    reads: serverPoolOf(() => {
      if (isIdle(reads)) return reads;
      return isIdle(writes) || (isFull(reads) && !isFull(writes)) ? writes : reads;
    }),
    writes: serverPoolOf(() => writes),
  };
  const cancel = async ({ turn, session }: ServerClient) => {
    // On another server, the ID would belong to another process.
    if (turn === targets.turn()) await reads.query('select pg_cancel_backend($1)', [session.backend]);
  };
  const sumOf = (count: (pool: pg.Pool) => number) => count(reads) + count(writes);
  return {
    connect: async () => new PostgresClient({ ...pools, nameOf, cancel }),
    end: async () => void (await Promise.all([reads.end(), writes.end()])),
    options: writes.options,
    usage: () => ({
      used: sumOf(({ totalCount, idleCount }) => totalCount - idleCount),
      idle: sumOf(({ idleCount }) => idleCount),
      waiting: sumOf(({ waitingCount }) => waitingCount),
      max: sumOf(({ options: { max } }) => max),
    }),
  };
}

/** Whether a caller gets an open connection at once. */
const isIdle = ({ idleCount, waitingCount }: pg.Pool) => idleCount > waitingCount;

/** Whether a further caller waits for an earlier one. */
const isFull = ({ totalCount, idleCount, waitingCount, options: { max } }: pg.Pool) =>
  totalCount === max && idleCount <= waitingCount;

function openPool(
  targets: PostgresTargets,
  max: number,
  onConnectionFault: (error: Error) => void,
  { longStatements = false, connectionTimeoutMs = defaultConnectionTimeoutMs, poolMode }: PoolOptions,
): pg.Pool {
  const { Pool, Client, types }: typeof pg = loadModule('pg');
  /** Goes to the server that takes writes at this time. The options of a pool are fixed, so they cannot name the server. */
  class TargetClient extends Client {
    readonly turn = targets.turn();

    constructor(config: pg.ClientConfig) {
      super({ ...config, ...targets.current() });
    }
  }
  const pool = new Pool({
    Client: TargetClient as never,
    max,
    connectionTimeoutMillis: connectionTimeoutMs,
    ...(longStatements ? {} : { query_timeout: answerTimeoutMs }),
    // A migration has no time limit, and ends if the network to Postgres is lost.
    keepAlive: true,
    application_name: 'latchkey',
    async onConnect(client) {
      (client as ServerClient).session = await prepareSession(client, longStatements, poolMode);
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
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}
