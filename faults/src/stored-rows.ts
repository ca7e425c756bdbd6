import pg from 'pg';
import type { Acknowledged } from './client/management.ts';

/** Rows that stand for an act, and the action that the audit has for it. */
const acts = [
  ['api_keys', 'true', 'api-key.create'],
  ['api_keys', 'revoked_at IS NOT NULL', 'api-key.revoke'],
  ['contents', 'true', 'content.create'],
  ['contents', "status = 'disabled'", 'content.disable'],
  ['leases', 'true', 'lease.create'],
] as const;

/**
 * What is wrong with the stored rows, in words: something acknowledged that is missing, an act without its audit, an audit
 * without its act, a hole in the change feed.
 */
export async function findWrongRows(
  databaseUrl: string,
  acknowledged: readonly Acknowledged[],
): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const count = async (sql: string, values: unknown[] = []) =>
      Number((await client.query<{ n: string }>(sql, values)).rows[0]?.n);
    return [
      ...(await findHalfDone(count)),
      ...(await findGaps(client)),
      ...(await findLost(count, acknowledged)),
    ];
  } finally {
    await client.end();
  }
}

type Count = (sql: string, values?: unknown[]) => Promise<number>;

async function findHalfDone(count: Count): Promise<string[]> {
  const found: string[] = [];
  for (const [table, condition, action] of acts) {
    const audited = `SELECT target FROM audit WHERE action = '${action}' AND outcome = 'done'`;
    const rows = `SELECT id FROM ${table} WHERE ${condition}`;
    const silent = await count(`SELECT count(*) AS n FROM (${rows}) AS r WHERE id NOT IN (${audited})`);
    const empty = await count(`SELECT count(*) AS n FROM (${audited}) AS a WHERE target NOT IN (${rows})`);
    if (silent > 0) found.push(`${silent} ${action} without an audit row`);
    if (empty > 0) found.push(`${empty} audit rows of ${action} without the act`);
  }
  const unmarked =
    await count(`SELECT count(*) AS n FROM leases WHERE revoked_by = 'management' AND NOT EXISTS (
    SELECT 1 FROM marks WHERE (marks.viewer_id = leases.viewer_id OR marks.viewer_id = '')
      AND (marks.content_id = leases.content_id OR marks.content_id = ''))`);
  if (unmarked > 0) found.push(`${unmarked} leases revoked by the management without a mark`);
  return found;
}

async function findGaps(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(
    `SELECT count(*)::int AS n, coalesce(min(number), 1)::int AS first, coalesce(max(number), 0)::int AS last,
      (SELECT number::int FROM change_counter) AS counter FROM changes`,
  );
  const { n, first, last, counter } = rows[0];
  const found: string[] = [];
  if (last - first + 1 !== n) found.push('the change feed has a gap');
  if (counter !== last) found.push(`the change feed ends at ${last}, its counter is at ${counter}`);
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
    found.push(`${requestIds.length - audited} acknowledged acts have no audit row`);
  for (const table of ['api_keys', 'contents', 'leases'] as const) {
    const ids = acknowledged.flatMap(({ row }) => (row?.table === table ? [row.id] : []));
    const stored = await count(`SELECT count(*) AS n FROM ${table} WHERE id = ANY($1)`, [ids]);
    if (stored !== new Set(ids).size)
      found.push(`${new Set(ids).size - stored} acknowledged rows of ${table} are missing`);
  }
  return found;
}
