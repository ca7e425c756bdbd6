import { countUpTo } from '@latchkey/shared/db';
import { inState } from './lease-row.ts';
import { matchesSelector } from './lease-selector.ts';
import type { LeaseFilter } from './lease-store.ts';
import type { Database } from './own-tables.ts';

/** Some milliseconds of an index. */
const countedAtMost = 10_000;

/**
 * How many leases a list that is not of one state, or of ended ones, has on all its pages, counted up to 10,000. It counts rows: while the
 * rows of a revocation are being written, it lags behind. Null if no index alone tells: of both a viewer and a content.
 */
export async function countListed(db: Database, filter: LeaseFilter, now: number): Promise<number | null> {
  const { viewerId, contentId, state } = filter;
  if (viewerId !== null && contentId !== null) return null;
  const isNamed = viewerId !== null || contentId !== null;
  const rows = db
    .selectFrom('leases')
    .select('created_at')
    .where((eb) => matchesSelector(eb, filter))
    .$if(state !== null, (query) => query.where((eb) => inState(eb, state ?? 'active', now)))
    // Names the index that holds them one after another.
    .$if(!isNamed, (query) => query.orderBy(state === 'expired' ? 'expires_at' : 'created_at', 'desc'));
  return countUpTo(db, (limit) => rows.limit(limit), countedAtMost, filter.within !== undefined);
}
