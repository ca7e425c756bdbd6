import { DatabaseSync } from 'node:sqlite';
import { consistencyQueries } from '@latchkey/rig/consistency';

/** What a server has stored, read from its SQLite file beside it. */
export interface StoredRows {
  has(table: string, id: string): boolean;
  /** How many rows of the audit say that the request of this id was carried out. */
  auditsOf(requestId: string): number;
  /** What an act without its audit, an audit without its act or a hole in the change feed would be, in words. */
  findInconsistencies(): string[];
  close(): void;
}

export function readStoredRows(file: string): StoredRows {
  const db = new DatabaseSync(file, { readOnly: true });
  const count = (sql: string, ...values: string[]) => Number(db.prepare(sql).get(...values)?.n);
  return {
    has: (table, id) => count(`SELECT count(*) AS n FROM ${table} WHERE id = ?`, id) === 1,
    auditsOf: (requestId) =>
      count(`SELECT count(*) AS n FROM audit WHERE request_id = ? AND outcome = 'done'`, requestId),
    findInconsistencies: () =>
      consistencyQueries.flatMap(({ sql, fault }) => {
        const n = count(sql);
        return n === 0 ? [] : [fault(n)];
      }),
    close: () => db.close(),
  };
}
