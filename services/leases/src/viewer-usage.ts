import { readAside } from '@latchkey/shared/db';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './own-tables.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;

/** The requests of a viewer within the last hour: keys that it got, and requests for keys and leases that it was refused. */
export interface ViewerUsage {
  served: number;
  refused: number;
}

/**
 * The counts of viewers within the last hour, as a table with the columns `series` (the viewer), `served` and `refused`. Each
 * process names the 50 busiest viewers of a minute, so it has some thousands of rows at most.
 */
export function lastHourOf(now: number): RawBuilder<unknown> {
  const from = now - hourMs;
  return sql`(
    select series, case when requests = 'keys' then served else 0 end as served, refused from usage_counts
    where span = 60 and requests in ('keys', 'leases') and kind = 'viewer' and at >= ${from - (from % minuteMs)} and series <> ''
  ) as counted`;
}

/** @returns the counts of the viewers that have some */
export async function readViewerUsage(
  db: Database,
  viewerIds: readonly string[],
  now: number,
): Promise<Map<string, ViewerUsage>> {
  if (viewerIds.length === 0) return new Map();
  const query = sql<{ viewerId: string } & ViewerUsage>`
    select series as "viewerId", cast(sum(served) as bigint) as served, cast(sum(refused) as bigint) as refused
    from ${lastHourOf(now)} where series in (${sql.join(viewerIds)}) group by series`;
  const rows = await readAside(db, { compile: () => query.compile(db) });
  return new Map(rows.map(({ viewerId, served, refused }) => [viewerId, { served, refused }]));
}
