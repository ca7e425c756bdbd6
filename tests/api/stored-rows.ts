import { DatabaseSync } from 'node:sqlite';
import { consistencyQueries } from '@latchkey/support/consistency';

/** The stored rows of a server, read from its SQLite file. */
export interface StoredRows {
  has(table: string, id: string): boolean;
  /** How many audit rows with the outcome `done` the request has. */
  auditsOf(requestId: string): number;
  /** Describes each act without its audit row, audit row without its act, and gap in the change feed. */
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
