import type { PostgresPool } from 'kysely';
import pg from 'pg';
import { prepareSession, statementTimeoutMs } from './postgres-session.ts';
import { createSparingPool } from './sparing-pool.ts';

/** OID of `int8` in pg_type: arrives as text, because it can exceed 2^53. Our milliseconds and counts cannot. */
const int8Oid = 20;
/** Small enough for ten processes on Postgres' default of 100 connections. */
const maxConnections = 10;
const defaultConnectionTimeoutMs = 2_000;
/** The server's limit cannot end a statement when the network is cut, so the client has its own limit, a second later. */
const answerTimeoutMs = statementTimeoutMs + 1_000;

interface PoolOptions {
  longStatements?: boolean;
  connectionTimeoutMs?: number;
}

/** A pool for Kysely in which waiting writes leave connections to the reads. */
export function openPostgres(
  connectionString: string,
  onConnectionFault: (error: Error) => void,
  options: PoolOptions,
): PostgresPool {
  const backends = new WeakMap<object, number>();
  const note = (client: object, backend: number) => void backends.set(client, backend);
  return createSparingPool(openPostgresPool(connectionString, onConnectionFault, options, note), {
    maxConnections,
    waitMs: options.connectionTimeoutMs ?? defaultConnectionTimeoutMs,
    backendOf: (client) => backends.get(client),
  });
}

export function openPostgresPool(
  connectionString: string,
  onConnectionFault: (error: Error) => void,
  { longStatements = false, connectionTimeoutMs = defaultConnectionTimeoutMs }: PoolOptions = {},
  onSession: (client: object, backend: number) => void = () => {},
): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: maxConnections,
    connectionTimeoutMillis: connectionTimeoutMs,
    ...(longStatements ? {} : { query_timeout: answerTimeoutMs }),
    application_name: 'latchkey',
    onConnect: async (client) => onSession(client, await prepareSession(client, longStatements)),
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8Oid ? Number : pg.types.getTypeParser(oid, format),
    } as pg.CustomTypesConfig,
  });
  // Without a listener, a connection that breaks while idle would end the process.
  pool.on('error', onConnectionFault);
  // The pool does not listen while a connection is in use either: one that breaks between two statements of a transaction
  // would end the process too. The next statement reports the failure.
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}
