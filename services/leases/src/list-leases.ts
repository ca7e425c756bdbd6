import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cursor, countUpTo } from '@latchkey/shared/db';
import { type Lease, statusOf } from './lease.ts';
import type { LeaseService } from './lease-route-options.ts';
import { cursorOf, inState, isByExpiry, isDescending } from './lease-row.ts';
import { matchesSelector } from './lease-selector.ts';
import { type LeaseFilter, LeaseStore } from './lease-store.ts';
import type { Database } from './own-tables.ts';
import { RevocationStore, type UnfinishedRevocation } from './revocation-store.ts';

/** Some 2 ms on SQLite, in which the process answers no request. */
const rowsPerStep = 250;
/** Rows that one page looks at while a large revocation is being written: 10,000. Then the page ends early. */
const stepsPerPage = 40;

interface LeasePage {
  leases: Lease[];
  /** Where the next page begins; null if this one is the last. */
  next: Cursor | null;
}

/**
 * A page of leases, newest first or in the filter's order, as they are now.
 *
 * While the rows of a revocation are being written, a row may look active and be revoked. Then pages of active and of
 * expired leases leave such rows out, and may be shorter than the limit though there is another page.
 */
export async function listLeases(
  { db }: Pick<LeaseService, 'db'>,
  filter: LeaseFilter,
  now: number,
  limit: number,
  after: Cursor | null,
): Promise<LeasePage> {
  const store = new LeaseStore(db);
  // Read before the rows: a revocation that is finished in between is then shown by the rows.
  const unfinished = await new RevocationStore(db).listUnfinished(filter);
  if (filter.state === null || unfinished.length === 0) {
    const begun = after === null ? await beginAtFirst(db, filter, now) : filter;
    return toPage(await store.list(begun, now, limit + 1, after), limit, filter);
  }
  if (filter.state === 'revoked') return listRevoked(store, filter, unfinished, now, limit, after);
  return listUncovered(store, narrow(filter, unfinished), now, limit, after);
}

/**
 * The filter from its first match on. Active leases are usually newer than expired ones, so the first leases of a viewer or a content
 * may all be of the other state. An index alone passes over them: reading hundreds of thousands of rows takes ten times as long.
 */
async function beginAtFirst(db: LeaseService['db'], filter: LeaseFilter, now: number): Promise<LeaseFilter> {
  const { viewerId, contentId, state, order = '-createdAt' } = filter;
  const isOfOne = (viewerId === null) !== (contentId === null);
  if (!isOfOne || state === null || state === 'revoked' || isByExpiry(order)) return filter;
  const first = await db
    .selectFrom('leases')
    .select('created_at')
    .where((eb) => eb.and([matchesSelector(eb, filter), inState(eb, state, now)]))
    .orderBy('created_at', isDescending(order) ? 'desc' : 'asc')
    .limit(1)
    .executeTakeFirst();
  const at = first?.created_at ?? 0;
  return isDescending(order) ? { ...filter, createdUpTo: at } : { ...filter, createdAfter: at - 1 };
}

function toPage(found: Lease[], limit: number, { order }: LeaseFilter): LeasePage {
  const leases = found.slice(0, limit);
  const last = leases.at(-1);
  return { leases, next: found.length > limit && last ? cursorOf(last, order) : null };
}

/** Leases that are still active where all that is asked for was revoked are newer than that revocation. */
function narrow(filter: LeaseFilter, unfinished: readonly UnfinishedRevocation[]): LeaseFilter {
  if (filter.state !== 'active') return filter;
  const names = ({ viewerId, contentId }: UnfinishedRevocation) =>
    (viewerId === null || viewerId === filter.viewerId) &&
    (contentId === null || contentId === filter.contentId);
  const createdAfter = Math.max(-1, ...unfinished.filter(names).map(({ createdUpTo }) => createdUpTo));
  return { ...filter, createdAfter };
}

/** Active or expired leases: by their rows, and without leases that a revocation covers. */
async function listUncovered(
  store: LeaseStore,
  filter: LeaseFilter,
  now: number,
  limit: number,
  after: Cursor | null,
): Promise<LeasePage> {
  const found: Lease[] = [];
  let cursor = after;
  for (let step = 0; step < stepsPerPage; step++) {
    const rows = await store.list(filter, now, rowsPerStep, cursor);
    found.push(...rows.filter((lease) => statusOf(lease, now) === filter.state));
    const last = rows.at(-1);
    if (found.length > limit || !last || rows.length < rowsPerStep) return toPage(found, limit, filter);
    cursor = cursorOf(last, filter.order);
    await nextTurn();
  }
  return { leases: found, next: cursor };
}

/** Revoked leases: by their rows, and the leases that a revocation covers, in one order. */
async function listRevoked(
  store: LeaseStore,
  filter: LeaseFilter,
  unfinished: readonly UnfinishedRevocation[],
  now: number,
  limit: number,
  after: Cursor | null,
): Promise<LeasePage> {
  const found = new Map<string, Lease>();
  const isNewestFirst = isDescending(filter.order ?? '-createdAt');
  // The covered ones first: a row that is written in between is then seen twice, and not missed.
  for (const revocation of unfinished) {
    const viewerId = filter.viewerId ?? revocation.viewerId;
    const contentId = filter.contentId ?? revocation.contentId;
    const open = { ...revocation, viewerId, contentId, within: filter.within, written: revocation.cursor };
    const rows = await store.listOpen(open, limit + 1, after, isNewestFirst);
    for (const lease of rows) found.set(lease.id, lease);
  }
  for (const lease of await store.list(filter, now, limit + 1, after)) found.set(lease.id, lease);
  const oldestFirst = [...found.values()].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  return toPage(isNewestFirst ? oldestFirst.reverse() : oldestFirst, limit, filter);
}

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
