import { type QueryExecutorProvider, sql } from 'kysely';
import type { ChainName, SealedRow } from './entry-hash.ts';

/** A place of a chain with its row; null where the row is gone. */
export interface ChainedPlace {
  place: number;
  number: number;
  hash: string;
  row: SealedRow | null;
}

/** Places in their order, each with its row, in one statement: both are of the same instant. */
export async function readPlaces(
  db: QueryExecutorProvider,
  chain: ChainName,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<ChainedPlace[]> {
  const { rows } = await sql<SealedRow & { place: number; entry_number: number; hash: string }>`
    select e.place, e.number as entry_number, e.hash, audit.*
    from audit_entries e left join audit on audit.number = e.number
    where e.chain = ${chain} and e.place > ${after} and e.place <= ${upTo}
    order by e.place limit ${limit}`.execute(db);
  return rows.map(({ place, entry_number, hash, ...row }) => ({
    place,
    number: entry_number,
    hash,
    row: row.number === null ? null : row,
  }));
}
