import { sql } from 'kysely';
import type { Database, Transaction } from './own-tables.ts';

/** The key of each table, and the time that tells how old its rows are. Each time has an index. */
const agedTables = {
  // A revoked lease stays until its expiry, too: among leases that play on for days, a search for revoked ones would take long, and on
  // SQLite it would hold the lock of the file.
  leases: { key: ['id'], time: 'expires_at' },
  sessions: { key: ['lease_id'], time: 'ends_at' },
  marks: { key: ['viewer_id', 'content_id'], time: 'marked_at' },
  viewer_blocks: { key: ['viewer_id'], time: 'blocked_until' },
  revocations: { key: ['number'], time: 'finished_at' },
} as const;

export type AgedTable = keyof typeof agedTables;

/**
 * Removes the rows of a table whose time is before the given one, the oldest first, at most `limit`.
 *
 * @param before milliseconds since 1970
 * @returns how many
 */
export async function removeOldest(
  db: Database | Transaction,
  table: AgedTable,
  before: number,
  limit: number,
): Promise<number> {
  const { key, time } = agedTables[table];
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const isOld = sql`${sql.ref(time)} < ${before}`;
  // The time is compared again, for the row that got a later one after it was chosen.
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ${isOld} and (${columns}) in (
      select ${columns} from ${sql.table(table)} where ${isOld} order by ${sql.ref(time)} limit ${limit})`.execute(
    db,
  );
  return Number(numAffectedRows);
}
