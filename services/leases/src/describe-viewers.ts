import { type NamedBy, readAside, rowList } from '@latchkey/shared/db';
import { sql } from 'kysely';
import { type Block, BlockStore } from './block-store.ts';
import { inState, isCovered, type LeaseExpression } from './lease-row.ts';
import { MarkStore } from './mark-store.ts';
import type { Database } from './own-tables.ts';
import { readViewerUsage, type ViewerUsage } from './viewer-usage.ts';

/** As many active leases as a viewer may have (`docs/reference/contract.md#leases`). A viewer of a broken player has a million ended ones. */
const countedLeases = 1_000;

/** The leases of a viewer in numbers, by the latest 1,000 that are kept. */
interface LeaseFacts {
  activeLeases: number;
  /** Different device ids. */
  devices: number;
  /** The latest creation or renewal, milliseconds since 1970; null without a lease. */
  lastSeenAt: number | null;
}

/** A viewer as its list shows it. */
export interface ViewerFacts extends LeaseFacts {
  viewerId: string;
  /** The time of the latest mark that names it, milliseconds since 1970; null for none. */
  markedAt: number | null;
  /** Null for none. Missing for an API key of some contents, because a block is about all of them. */
  block?: Block | null;
  /** Null if none of its requests was counted by name. Missing as above. */
  lastHour?: ViewerUsage | null;
}

/**
 * The facts of the viewers of one page, in their order.
 *
 * @param within the contents whose leases and marks count; undefined for all
 */
export async function describeViewers(
  db: Database,
  viewerIds: readonly string[],
  { now, within }: { now: number; within: NamedBy | undefined },
): Promise<ViewerFacts[]> {
  if (viewerIds.length === 0) return [];
  const [leases, marks, others] = await Promise.all([
    readLeaseFacts(db, viewerIds, now, within),
    new MarkStore(db).findLatest(viewerIds, within),
    within ? null : readOthers(db, viewerIds, now),
  ]);
  return viewerIds.map((viewerId) => ({
    viewerId,
    ...(leases.get(viewerId) ?? { activeLeases: 0, devices: 0, lastSeenAt: null }),
    markedAt: marks.get(viewerId) ?? null,
    ...(others && {
      block: others.blocks.get(viewerId) ?? null,
      lastHour: others.usage.get(viewerId) ?? null,
    }),
  }));
}

async function readOthers(db: Database, viewerIds: readonly string[], now: number) {
  const [blocks, usage] = await Promise.all([
    new BlockStore(db).findAll(viewerIds, now),
    readViewerUsage(db, viewerIds, now),
  ]);
  return { blocks, usage };
}

async function readLeaseFacts(
  db: Database,
  viewerIds: readonly string[],
  now: number,
  within: NamedBy | undefined,
): Promise<Map<string, LeaseFacts>> {
  const given = rowList(
    db,
    { asked: 'text' } as const,
    viewerIds.map((asked) => ({ asked })),
  ).as('given');
  const query = db
    .with(
      // Materialized: else the search for the thousandth lease is repeated for each lease.
      (cte) => cte('viewers').materialized(),
      (cte) =>
        cte.selectFrom(given).select((eb) => [
          'given.asked as viewer',
          eb.fn
            .coalesce(
              eb
                .selectFrom('leases as earlier')
                .select('earlier.created_at')
                .whereRef('earlier.viewer_id', '=', 'given.asked')
                .$if(within !== undefined, (rows) =>
                  rows.where((within as NamedBy)(sql.ref('earlier.content_id'))),
                )
                .orderBy('earlier.created_at', 'desc')
                .limit(1)
                .offset(countedLeases - 1),
              eb.lit(0),
            )
            .as('since'),
        ]),
    )
    .selectFrom('viewers')
    .innerJoin('leases', (join) =>
      join.onRef('leases.viewer_id', '=', 'viewers.viewer').onRef('leases.created_at', '>=', 'viewers.since'),
    )
    .$if(within !== undefined, (rows) => rows.where((within as NamedBy)(sql.ref('leases.content_id'))))
    .select((eb) => {
      const leases = eb as unknown as LeaseExpression;
      return [
        'viewers.viewer as viewerId',
        eb.fn
          .countAll<number>()
          .filterWhere(leases.and([inState(leases, 'active', now), leases.not(isCovered(leases))]) as never)
          .as('activeLeases'),
        eb.fn.count<number>('leases.device_id').distinct().as('devices'),
        sql<number>`max(coalesce(leases.renewed_at, leases.created_at))`.as('lastSeenAt'),
      ];
    })
    .groupBy('viewers.viewer');
  const rows = await readAside(db, query);
  return new Map(rows.map(({ viewerId, ...facts }) => [viewerId, facts]));
}
