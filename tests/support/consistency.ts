/** Rows that each need one audit row, and the action of that row. */
const acts = [
  ['api_keys', 'true', 'api-key.create'],
  ['api_keys', 'revoked_at IS NOT NULL', 'api-key.revoke'],
  ['contents', 'true', 'content.create'],
  ['contents', "status = 'disabled'", 'content.disable'],
  ['leases', 'true', 'lease.create', 'session.create'],
] as const;

/** A query on a database of Latchkey, in SQL that SQLite and Postgres accept. */
export interface ConsistencyQuery {
  /** Returns one row with the number `n`. */
  sql: string;
  /** Describes what is wrong if `n` is not 0. */
  fault(n: number): string;
}

/** Queries that find an act without its audit row, an audit row without its act, or a gap in the change feed. */
export const consistencyQueries: readonly ConsistencyQuery[] = [
  ...acts.flatMap(([table, condition, ...names]) => {
    const action = names.join(' or ');
    const quoted = names.map((name) => `'${name}'`).join(', ');
    const audited = `SELECT target FROM audit WHERE action IN (${quoted}) AND outcome = 'done'`;
    const rows = `SELECT id FROM ${table} WHERE ${condition}`;
    return [
      {
        sql: `SELECT count(*) AS n FROM (${rows}) AS r WHERE id NOT IN (${audited})`,
        fault: (n: number) => `${n} ${action} without an audit row`,
      },
      {
        sql: `SELECT count(*) AS n FROM (${audited}) AS a WHERE target NOT IN (${rows})`,
        fault: (n: number) => `${n} audit rows of ${action} without the act`,
      },
    ];
  }),
  {
    sql: `SELECT count(*) AS n FROM leases WHERE revoked_by = 'management' AND NOT EXISTS (
      SELECT 1 FROM marks WHERE (marks.viewer_id = leases.viewer_id OR marks.viewer_id = '')
        AND (marks.content_id = leases.content_id OR marks.content_id = ''))`,
    fault: (n) => `${n} leases revoked by the management without a mark`,
  },
  {
    sql: 'SELECT coalesce(max(number) - min(number) + 1 - count(*), 0) AS n FROM changes',
    fault: (n) => `the change feed lacks ${n} rows between its first and its last`,
  },
  {
    sql: `SELECT (SELECT number FROM change_counter) - coalesce(max(number), 0) AS n FROM changes`,
    fault: (n) => `the counter of the change feed is ${n} ahead of its last row`,
  },
];
