import { consistencyQueries } from '@latchkey/support/consistency';
import { runSql } from '@latchkey/support/stores/run-sql';
import type { Acknowledged } from './client/management.ts';

/**
 * Describes each fault of the stored rows: an acknowledged change that is missing, a change without its audit row, an audit row
 * without its change, a gap in the change feed.
 */
export async function findWrongRows(
  databaseUrl: string,
  acknowledged: readonly Acknowledged[],
): Promise<string[]> {
  const count = async (sql: string) => Number((await runSql(databaseUrl, sql))[0]?.n);
  const found: string[] = [];
  for (const { sql, fault } of consistencyQueries) {
    const n = await count(sql);
    if (n !== 0) found.push(fault(n));
  }
  const requestIds = acknowledged.map(({ requestId }) => requestId);
  const audited = await count(
    `SELECT count(DISTINCT request_id) AS n FROM audit WHERE outcome = 'done' AND request_id = ANY(${listOf(requestIds)})`,
  );
  if (audited !== requestIds.length)
    found.push(`${requestIds.length - audited} acknowledged changes have no audit row`);
  for (const table of ['api_keys', 'contents', 'leases'] as const) {
    const ids = new Set(acknowledged.flatMap(({ row }) => (row?.table === table ? [row.id] : [])));
    const stored = await count(`SELECT count(*) AS n FROM ${table} WHERE id = ANY(${listOf([...ids])})`);
    if (stored !== ids.size) found.push(`${ids.size - stored} acknowledged rows of ${table} are missing`);
  }
  return found;
}

/** An array of Postgres. The ids are of this run, and need no escaping. */
const listOf = (ids: readonly string[]) => `'{${ids.join(',')}}'`;
