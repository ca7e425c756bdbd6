import pg from 'pg';

/**
 * Runs statements one after another on one connection to Postgres.
 *
 * @returns the rows of the last one
 */
export async function runSql(
  url: string,
  ...statements: readonly string[]
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  // A server that is stopped meanwhile is an error of the statement that runs, and not of the whole test process.
  client.on('error', () => {});
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}
