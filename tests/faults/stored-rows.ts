import { consistencyQueries } from '@latchkey/support/consistency';
import type { Acknowledged } from './client/management.ts';
import { withPostgres } from './stack/with-postgres.ts';

/**
 * Describes each fault of the stored rows: an acknowledged change that is missing, a change without its audit row, an audit row
 * without its change, a gap in the change feed.
 */
export async function findWrongRows(
  databaseUrl: string,
  acknowledged: readonly Acknowledged[],
): Promise<string[]> {
  return withPostgres(databaseUrl, async (client) => {
    const count = async (sql: string, values: unknown[] = []) =>
      Number((await client.query<{ n: string }>(sql, values)).rows[0]?.n);
    return [...(await findInconsistencies(count)), ...(await findLost(count, acknowledged))];
  });
}

type Count = (sql: string, values?: unknown[]) => Promise<number>;

async function findInconsistencies(count: Count): Promise<string[]> {
  const found: string[] = [];
  for (const { sql, fault } of consistencyQueries) {
    const n = await count(sql);
    if (n !== 0) found.push(fault(n));
  }
  return found;
}

async function findLost(count: Count, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const found: string[] = [];
  const requestIds = acknowledged.map(({ requestId }) => requestId);
  const audited = await count(
    `SELECT count(DISTINCT request_id) AS n FROM audit WHERE outcome = 'done' AND request_id = ANY($1)`,
    [requestIds],
  );
  if (audited !== requestIds.length)
    found.push(`${requestIds.length - audited} acknowledged changes have no audit row`);
  for (const table of ['api_keys', 'contents', 'leases'] as const) {
    const ids = acknowledged.flatMap(({ row }) => (row?.table === table ? [row.id] : []));
    const stored = await count(`SELECT count(*) AS n FROM ${table} WHERE id = ANY($1)`, [ids]);
    if (stored !== new Set(ids).size)
      found.push(`${new Set(ids).size - stored} acknowledged rows of ${table} are missing`);
  }
  return found;
}
