import { type Database, isPostgres } from '@latchkey/shared/db';
import { sql } from 'kysely';

/** The content that is revoked. */
export const largeContentId = 'large';
/** The content that stays active. */
export const otherContentId = 'other';
export const otherViewers = 1_000;

const rowsPerStatement = 20_000;
const leaseLifeMs = 4 * 3_600_000;

/** The lease of viewer n of the other content. */
export function otherLeaseId(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

/** Writes both contents and active leases of them straight into their tables. */
export async function fillLargeContent(db: Database, leases: number, nowMs: number): Promise<void> {
  const ids = [largeContentId, otherContentId];
  const common = { status: 'active', key_version: 1, metadata: '{}', created_at: nowMs, updated_at: nowMs };
  await db
    .insertInto('contents')
    .values(ids.map((id) => ({ ...common, id, name: id, search_text: id })))
    .execute();
  await insert(db, otherContentId, '0', 0, otherViewers, nowMs);
  for (let from = 0; from < leases; from += rowsPerStatement)
    await insert(db, largeContentId, '1', from, Math.min(leases, from + rowsPerStatement), nowMs);
  // Autovacuum would do it within a minute. SQLite runs no such job.
  if (isPostgres(db)) await sql`analyze`.execute(db);
}

/** Ids are scattered like random ones, so that an index on them is not faster than in production. */
async function insert(
  db: Database,
  contentId: string,
  kind: string,
  from: number,
  to: number,
  nowMs: number,
) {
  const padded = sql`substr('000000000000' || n, length('000000000000' || n) - 11)`;
  const scattered = kind === '0' ? sql`'00000000'` : sql`cast(10000000 + (n * 61803397) % 90000000 as text)`;
  await sql`
    insert into leases (id, viewer_id, content_id, created_at, expires_at)
    with recursive numbers (n) as (
      select cast(${literal(from)} as bigint) union all select n + 1 from numbers where n + 1 < ${literal(to)}
    )
    select ${scattered} || '-0000-4000-8000-' || ${padded}, ${sql.lit(`viewer-${kind}-`)} || n, ${sql.lit(contentId)},
      ${literal(nowMs - 3_600_000)} + n, ${literal(nowMs + leaseLifeMs)} from numbers
  `.execute(db);
}

const literal = (value: number) => sql.raw(String(value));
