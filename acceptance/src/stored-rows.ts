import { DatabaseSync } from 'node:sqlite';

/** What a server has stored, read from its SQLite file beside it. */
export interface StoredRows {
  has(table: string, id: string): boolean;
  /** How many rows of the audit say that the request of this id was carried out. */
  auditsOf(requestId: string): number;
  /** What an act without its audit, an audit without its act or a hole in the change feed would be, in words. */
  findInconsistencies(): string[];
  close(): void;
}

/** Rows that stand for an act, and the action that the audit has for it. */
const acts = [
  ['api_keys', 'true', 'api-key.create'],
  ['api_keys', 'revoked_at IS NOT NULL', 'api-key.revoke'],
  ['contents', 'true', 'content.create'],
  ['contents', "status = 'disabled'", 'content.disable'],
  ['leases', 'true', 'lease.create'],
] as const;

export function readStoredRows(file: string): StoredRows {
  const db = new DatabaseSync(file, { readOnly: true });
  const count = (sql: string, ...values: string[]) => Number(db.prepare(sql).get(...values)?.n);
  return {
    has: (table, id) => count(`SELECT count(*) AS n FROM ${table} WHERE id = ?`, id) === 1,
    auditsOf: (requestId) =>
      count(`SELECT count(*) AS n FROM audit WHERE request_id = ? AND outcome = 'done'`, requestId),
    findInconsistencies() {
      const found: string[] = [];
      for (const [table, condition, action] of acts) {
        const audited = `SELECT target FROM audit WHERE action = '${action}' AND outcome = 'done'`;
        const rows = `SELECT id FROM ${table} WHERE ${condition}`;
        const silent = count(`SELECT count(*) AS n FROM (${rows}) WHERE id NOT IN (${audited})`);
        const empty = count(`SELECT count(*) AS n FROM (${audited}) WHERE target NOT IN (${rows})`);
        if (silent > 0) found.push(`${silent} ${action} without an audit row`);
        if (empty > 0) found.push(`${empty} audit rows of ${action} without the act`);
      }
      const feed = db
        .prepare('SELECT count(*) AS n, min(number) AS first, max(number) AS last FROM changes')
        .get();
      const last = Number(feed?.last ?? 0);
      if (Number(feed?.n) > 0 && last - Number(feed?.first) + 1 !== Number(feed?.n))
        found.push('the change feed has a gap');
      const counter = count('SELECT number AS n FROM change_counter');
      if (counter !== last) found.push(`the change feed ends at ${last}, its counter is at ${counter}`);
      return found;
    },
    close: () => db.close(),
  };
}
