import type { ChainName } from '@latchkey/shared/audit';
import { getAsideWriter, inUnsyncedTransaction, isPostgres } from '@latchkey/shared/db';
import { sql } from 'kysely';
import type { Database, Transaction } from './own-tables.ts';

/** No clock of a service is this far ahead. A row from later would keep all that follow it in its chain. */
const clocksDifferMs = 86_400_000;

interface Due {
  place: number;
  hash: string;
  number: number;
  at: number | null;
}

/**
 * Removes the beginning of a chain of the audit, as far as its rows are older than the given time, and keeps the hash at the cut.
 *
 * @param before milliseconds since 1970
 * @param limit of rows
 * @returns how many rows were removed; 0 where none is due
 */
export async function cutAudit(
  db: Database,
  chain: ChainName,
  { before, now, limit }: { before: number; now: number; limit: number },
): Promise<number> {
  const due = await readDue(db, chain, { before, now, limit });
  const last = due.at(-1);
  if (!last) return 0;
  if (isPostgres(db)) {
    await sql`select audit_cut(${chain}, ${last.place}::bigint, ${before}::bigint)`.execute(db);
  } else await cutSqlite(db, chain, due, now);
  return due.length;
}

async function readDue(
  db: Database,
  chain: ChainName,
  { before, now, limit }: { before: number; now: number; limit: number },
): Promise<Due[]> {
  const { rows } = await sql<Due>`
    select e.place, e.hash, e.number, a.at from audit_entries e left join audit a on a.number = e.number
    where e.chain = ${chain} order by e.place limit ${limit}`.execute(db);
  // A row that somebody removed past the services is in nobody's way.
  const isDue = ({ at }: Due) => at === null || at < before || at > now + clocksDifferMs;
  const end = rows.findIndex((row) => !isDue(row));
  const due = end === -1 ? rows : rows.slice(0, end);
  if (isPostgres(db)) return due;
  // SQLite would give the highest number to the next row again, and that row would count as chained.
  const { rows: highest } = await sql<{ number: number }>`select max(number) as number from audit`.execute(
    db,
  );
  const own = due.findIndex(({ number }) => number === highest[0]?.number);
  return own === -1 ? due : due.slice(0, own);
}

/**
 * The cut comes first: what is left of it after a power cut is before the cut, and the next run removes it. Each statement is a
 * transaction of its own, beside the requests.
 */
async function cutSqlite(db: Database, chain: ChainName, due: readonly Due[], now: number): Promise<void> {
  const last = due.at(-1) as Due;
  const newest = Math.max(...due.map(({ at }) => at ?? 0));
  const numbers = due.map(({ number }) => number);
  const work = async (rows: Database | Transaction) => {
    await rows
      .updateTable('audit_chains')
      .set({ cut_place: last.place, cut_hash: last.hash, cut_at: now, cut_newest: newest })
      .where('chain', '=', chain)
      .execute();
    await rows.deleteFrom('audit').where('number', 'in', numbers).execute();
    await rows
      .deleteFrom('audit_entries')
      .where('chain', '=', chain)
      .where('place', '<=', last.place)
      .execute();
  };
  const aside = getAsideWriter(db) as Database | null;
  await (aside ? work(aside) : inUnsyncedTransaction(db, (tx) => work(tx)));
}
