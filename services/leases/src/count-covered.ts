import { type RawBuilder, sql } from 'kysely';
import type { SeenLeases } from './lease-selector.ts';

/** The condition on a lease `l` and a revocation `r` that covers it, besides viewer and content. */
const isWithin = (r: 'r' | 'other') => sql`l.created_at > ${sql.ref(`${r}.created_after`)}
  and l.created_at <= ${sql.ref(`${r}.revoked_up_to`)} and l.expires_at > ${sql.ref(`${r}.expiring_after`)}`;

/**
 * How many leases look active by their rows and are covered by a revocation whose rows are still being written. A count over
 * the rows is too high by this number.
 *
 * It costs a count of the leases of those revocations by an index, and nothing when no revocation is being written. Several
 * revocations of one viewer, content or pair cover different leases (`created_after`). Of the others, a content's leases
 * are counted first, because there may be a million. Then follow a viewer's without those, and a pair's without either.
 */
export function countCovered(selector: SeenLeases, now: number): RawBuilder<number> {
  // SQLite knows no numbers of rows. Where a viewer is named, it must not walk through all leases of the content instead, so
  // the content is compared in a way that no index serves.
  const ofContent =
    selector.viewerId === null ? sql`l.content_id = r.content_id` : sql`l.content_id || '' = r.content_id`;
  const byContent = sumOf(sql`r.viewer_id = ''`, ofContent, selector, now);
  const byViewer = sumOf(
    sql`r.viewer_id <> '' and r.content_id = ''`,
    sql`l.viewer_id = r.viewer_id and ${isNotCoveredBy(sql`other.viewer_id = '' and other.content_id = l.content_id`)}`,
    selector,
    now,
  );
  const byPair = sumOf(
    sql`r.viewer_id <> '' and r.content_id <> ''`,
    sql`l.viewer_id = r.viewer_id and l.content_id || '' = r.content_id
      and ${isNotCoveredBy(sql`other.viewer_id = '' and other.content_id = l.content_id`)}
      and ${isNotCoveredBy(sql`other.viewer_id = l.viewer_id and other.content_id = ''`)}`,
    selector,
    now,
  );
  // Postgres makes a numeric of a sum of bigints, which arrives as text.
  return sql<number>`cast(${byContent} + ${byViewer} + ${byPair} as bigint)`;
}

function sumOf(
  kind: RawBuilder<unknown>,
  named: RawBuilder<unknown>,
  { viewerId, contentId, within }: SeenLeases,
  now: number,
): RawBuilder<unknown> {
  const both = sql.join(
    [
      ...(viewerId === null ? [] : [sql`l.viewer_id = ${viewerId}`]),
      ...(contentId === null ? [] : [sql`l.content_id || '' = ${contentId}`]),
      ...(within ? [within(sql.ref('l.content_id'))] : []),
    ].map((condition) => sql`and ${condition}`),
    sql` `,
  );
  // A revocation of another viewer or content covers no lease of the selector.
  const same = sql.join(
    [
      ...(viewerId === null ? [] : [sql`r.viewer_id in ('', ${viewerId})`]),
      ...(contentId === null ? [] : [sql`r.content_id in ('', ${contentId})`]),
    ].map((condition) => sql`and ${condition}`),
    sql` `,
  );
  return sql`coalesce((select sum((
      select count(*) from leases as l
      where ${named} and l.revoked_at is null and l.expires_at > ${now} and ${isWithin('r')} ${both}
    )) from revocations as r where r.finished_at is null and ${kind} ${same}), 0)`;
}

function isNotCoveredBy(named: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`not exists (select 1 from revocations as other
    where other.finished_at is null and ${named} and ${isWithin('other')})`;
}
