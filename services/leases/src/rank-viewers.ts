import { isPostgres, lastCharacter, readAside } from '@latchkey/shared/db';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './own-tables.ts';
import { lastHourOf } from './viewer-usage.ts';

/** The orders of viewers by a number, each with the highest number or the latest time first. */
export const viewerRanks = [
  '-lastSeenAt',
  '-activeLeases',
  '-devices',
  '-served',
  '-refused',
  '-revokedAt',
] as const;
export type ViewerRank = (typeof viewerRanks)[number];

/**
 * The leases that a rank looks at: they end last, so every active one is among them, unless more are active. Without this bound, a
 * rank would read a million leases.
 */
export const rankedLeases = 20_000;
/** Marks and blocks that a rank looks at, the latest of each. */
const rankedRevocations = 1_000;

/** A viewer and its number in the rank: a count, or milliseconds since 1970. */
export interface RankedViewer {
  viewerId: string;
  value: number;
}

interface RankQuestion {
  prefix: string;
  /** The last one of the page before; null for the first page. */
  after: RankedViewer | null;
  limit: number;
  now: number;
}

/** A page of the viewers that have a number in the rank. Among equals, by their ids in the order of bytes. */
export function rankViewers(
  db: Database,
  rank: ViewerRank,
  { prefix, after, limit, now }: RankQuestion,
): Promise<RankedViewer[]> {
  const bytes = isPostgres(db) ? sql`collate "C"` : sql``;
  const rest = after
    ? sql`and (value < ${after.value} or (value = ${after.value} and viewer_id ${bytes} > ${after.viewerId}))`
    : sql``;
  const query = sql<RankedViewer>`
    select viewer_id as "viewerId", cast(value as bigint) as value from (${sourceOf(rank, now)}) as ranked
    where value > 0 and viewer_id ${bytes} >= ${prefix} and viewer_id ${bytes} < ${prefix + lastCharacter} ${rest}
    order by value desc, viewer_id ${bytes} limit ${limit}`;
  return readAside(db, { compile: () => query.compile(db) });
}

/** The viewers of a rank, as a query with the columns `viewer_id` and `value`. */
function sourceOf(rank: ViewerRank, now: number): RawBuilder<unknown> {
  switch (rank) {
    case '-lastSeenAt':
      return ofLeases(sql`max(coalesce(renewed_at, created_at))`);
    case '-activeLeases':
      return ofLeases(sql`sum(case when revoked_at is null and expires_at > ${now} then 1 else 0 end)`);
    case '-devices':
      return ofLeases(sql`count(distinct device_id)`);
    case '-served':
      return sql`select series as viewer_id, sum(served) as value from ${lastHourOf(now)} group by series`;
    case '-refused':
      return sql`select series as viewer_id, sum(refused) as value from ${lastHourOf(now)} group by series`;
    case '-revokedAt':
      return ofRevocations(now);
  }
}

/** @param value of the leases of a viewer */
function ofLeases(value: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select viewer_id, ${value} as value from (
    select viewer_id, device_id, created_at, renewed_at, expires_at, revoked_at from leases
    order by expires_at desc limit ${sql.lit(rankedLeases)}
  ) as latest group by viewer_id`;
}

/** A block outlives the mark that it left. */
function ofRevocations(now: number): RawBuilder<unknown> {
  return sql`select viewer_id, max(at) as value from (
    select * from (
      select viewer_id, marked_at as at from marks where viewer_id <> '' order by marked_at desc limit ${sql.lit(rankedRevocations)}
    ) as marked
    union all
    select * from (
      select viewer_id, blocked_at as at from viewer_blocks where blocked_until is null or blocked_until > ${now}
      order by blocked_at desc limit ${sql.lit(rankedRevocations)}
    ) as blocked
  ) as revoked group by viewer_id`;
}
