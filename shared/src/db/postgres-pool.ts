import pg from 'pg';

/** OID of `int8` in pg_type: arrives as text, because it can exceed 2^53. Our milliseconds and counts cannot. */
const int8Oid = 20;
/** Small enough for ten processes on Postgres' default of 100 connections. */
const maxConnections = 10;
/** Under the 5 s after which a state counts as unknown, so that a slow database becomes a 503 and not a hang. */
const statementTimeoutMs = 4_000;
const defaultConnectionTimeoutMs = 2_000;

/**
 * What a page of an index costs to the planner, beside one of a table that is read from end to end. Its default of 4 is a
 * spinning disk's: it would rather read a whole table than the index that holds all a list needs (manual, section 20.7.2).
 */
const pageCost = 'set random_page_cost = 1.1';

const statementLimits = {
  statement_timeout: statementTimeoutMs,
  // The server's limit cannot fire when the network is cut, so the client has one of its own.
  query_timeout: statementTimeoutMs + 1_000,
  idle_in_transaction_session_timeout: statementTimeoutMs,
};

export function openPostgresPool(
  connectionString: string,
  onConnectionFault: (error: Error) => void,
  {
    longStatements = false,
    connectionTimeoutMs = defaultConnectionTimeoutMs,
  }: { longStatements?: boolean; connectionTimeoutMs?: number } = {},
): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: maxConnections,
    connectionTimeoutMillis: connectionTimeoutMs,
    ...(longStatements ? {} : statementLimits),
    application_name: 'latchkey',
    onConnect: (client) => client.query(pageCost),
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8Oid ? Number : pg.types.getTypeParser(oid, format),
    } as pg.CustomTypesConfig,
  });
  // Without a listener, a connection that breaks while idle would end the process.
  pool.on('error', onConnectionFault);
  // Nor does the pool listen while a connection is in use: one that breaks between two statements of a transaction would
  // end the process too. The next statement says what happened.
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}
