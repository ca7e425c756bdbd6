import { sql } from 'kysely';
import type { Database, Transaction } from './own-tables.ts';

/**
 * The key of each table, and the time that tells how old its rows are. Each time has an index. A row that `moves` may get a later time
 * even when it is old.
 */
const agedTables = {
  // A revoked lease stays until its expiry, too: among leases that play on for days, a search for revoked ones would take long, and on
  // SQLite it would hold the lock of the file.
  leases: { key: ['id'], time: 'expires_at', moves: false },
  sessions: { key: ['lease_id'], time: 'ends_at', moves: false },
  marks: { key: ['viewer_id', 'content_id'], time: 'marked_at', moves: true },
  viewer_blocks: { key: ['viewer_id'], time: 'blocked_until', moves: true },
  revocations: { key: ['number'], time: 'finished_at', moves: false },
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
  const { key, time, moves } = agedTables[table];
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const isOld = sql`${sql.ref(time)} < ${before}`;
  // A row may have moved after it was chosen. In the other tables this condition could make Postgres read all old rows for each batch.
  const isStillOld = moves ? isOld : sql`true`;
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ${isStillOld} and (${columns}) in (
      select ${columns} from ${sql.table(table)} where ${isOld} order by ${sql.ref(time)} limit ${limit})`.execute(
    db,
  );
  return Number(numAffectedRows);
}
