import { isPostgres } from '@latchkey/shared/db';
import { sql } from 'kysely';
import type { Database } from './own-tables.ts';

/** Above every text that begins with what stands before it: the last code point. */
const lastCharacter = '\u{10ffff}';

/**
 * Viewers with leases whose ids begin so, in the order of their bytes. It seeks from one viewer to the next in an index, so a viewer with a
 * million leases costs as much as one with a single lease.
 *
 * @param after the last id of the page before; null for the first page
 */
export async function listViewers(
  db: Database,
  { prefix, after, limit }: { prefix: string; after: string | null; limit: number },
): Promise<string[]> {
  const bytes = isPostgres(db) ? sql`collate "C"` : sql``;
  const inRange = sql`viewer_id ${bytes} < ${prefix + lastCharacter}`;
  const from = after === null ? sql`viewer_id ${bytes} >= ${prefix}` : sql`viewer_id ${bytes} > ${after}`;
  const { rows } = await sql<{ viewer_id: string }>`
    with recursive found (viewer_id, place) as (
      select first.viewer_id, 1 from
        (select viewer_id from leases where ${from} and ${inRange} order by viewer_id ${bytes} limit 1) as first
      union all
      select (
        select leases.viewer_id from leases
        where leases.viewer_id ${bytes} > found.viewer_id ${bytes} and leases.${inRange}
        order by leases.viewer_id ${bytes} limit 1
      ), found.place + 1
      from found where found.viewer_id is not null and found.place < ${limit}
    )
    select viewer_id from found where viewer_id is not null`.execute(db);
  return rows.map(({ viewer_id }) => viewer_id);
}
