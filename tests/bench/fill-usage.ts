import type { Database } from '@latchkey/shared/db';
import { type RawBuilder, sql } from 'kysely';
import { literal, numbers } from './generated-rows.ts';

/** How many series of a kind have a count of their own in an interval (`seriesKept`). */
const seriesKept = 50;
const kinds = {
  code: 'CODE_',
  content: 'content-',
  viewer: 'viewer-',
  'api-key': 'a0000000-0000-4000-8000-0000000000',
};
/** The default retention: seconds of an interval, and how many of them are kept. */
const kept = [
  { span: 60, intervals: 48 * 60 },
  { span: 600, intervals: 48 * 6 },
  { span: 3_600, intervals: 30 * 24 },
];

/**
 * Fills the usage of a server that is busy all the time: each interval has all the series that it may have, of each kind and both sorts of
 * requests. Some 1.6 million rows.
 *
 * @param now milliseconds since 1970: the newest interval ended before it
 */
export async function fillUsage(db: Database, now: number): Promise<void> {
  for (const { span, intervals } of kept) {
    const newest = Math.floor(now / 1_000 / span) - 1;
    const at = sql`(${literal(newest)} - n / ${literal(seriesKept)}) * ${literal(span * 1_000)}`;
    for (const requests of ['keys', 'leases'])
      for (const [kind, prefix] of Object.entries(kinds)) {
        const series = sql`${sql.lit(prefix)} || (10 + n % ${literal(seriesKept)})`;
        await insert(db, { span, requests, kind, at, series }, numbers(0, intervals * seriesKept));
      }
    for (const requests of ['keys', 'leases']) {
      const total = { span, requests, kind: 'total', series: sql`''` };
      const each = sql`(${literal(newest)} - n) * ${literal(span * 1_000)}`;
      await insert(db, { ...total, at: each }, numbers(0, intervals));
    }
  }
}

interface Rows {
  span: number;
  requests: string;
  kind: string;
  at: RawBuilder<unknown>;
  series: RawBuilder<unknown>;
}

async function insert(
  db: Database,
  { span, requests, kind, at, series }: Rows,
  counted: RawBuilder<unknown>,
): Promise<void> {
  await sql`insert into usage_counts (span, requests, kind, at, series, served, refused)
    ${counted}
    select ${literal(span)}, ${sql.lit(requests)}, ${sql.lit(kind)}, ${at}, ${series}, 100 + n % 37, n % 5 from numbers`.execute(
    db,
  );
}
