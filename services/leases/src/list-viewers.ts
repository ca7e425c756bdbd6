import { isPostgres, lastCharacter, type NamedBy, readAside } from '@latchkey/shared/db';
import { sql } from 'kysely';
import type { Database } from './own-tables.ts';

/**
 * Viewers with leases whose ids begin so, in the order of their bytes. It seeks from one viewer to the next in an index, so a viewer with a
 * million leases costs as much as one with a single lease.
 *
 * @param after the last id of the page before; null for the first page
 * @param within the contents whose leases count
 */
export async function listViewers(
  db: Database,
  {
    prefix,
    after,
    limit,
    within,
  }: { prefix: string; after: string | null; limit: number; within?: NamedBy | undefined },
): Promise<string[]> {
  const bytes = isPostgres(db) ? sql`collate "C"` : sql``;
  const inRange = sql`viewer_id ${bytes} < ${prefix + lastCharacter}`;
  const from = after === null ? sql`viewer_id ${bytes} >= ${prefix}` : sql`viewer_id ${bytes} > ${after}`;
  const isSeen = within ? sql`and ${within(sql.ref('leases.content_id'))}` : sql``;
  const query = sql<{ viewer_id: string }>`
    with recursive found (viewer_id, place) as (
      select first.viewer_id, 1 from
        (select viewer_id from leases where ${from} and ${inRange} ${isSeen} order by viewer_id ${bytes} limit 1) as first
      union all
      select (
        select leases.viewer_id from leases
        where leases.viewer_id ${bytes} > found.viewer_id ${bytes} and leases.${inRange} ${isSeen}
        order by leases.viewer_id ${bytes} limit 1
      ), found.place + 1
      from found where found.viewer_id is not null and found.place < ${limit}
    )
    select viewer_id from found where viewer_id is not null`;
  const rows = within
    ? // The few leases of a limited API key may be spread over all others.
      await readAside(db, { compile: () => query.compile(db) })
    : (await query.execute(db)).rows;
  return rows.map(({ viewer_id }) => viewer_id);
}
