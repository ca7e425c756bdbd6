import { setImmediate as nextTurn } from 'node:timers/promises';
import { isUuid } from '@latchkey/shared/contracts';
import { type Cursor, encodeCursor } from '@latchkey/shared/db';
import { AppError, problems } from '@latchkey/shared/errors';
import { type App, listQuery, NextCursorSchema, page } from '@latchkey/shared/http';
import { Type } from 'typebox';
import { type Lease, leaseStatuses, statusOf } from '../lease.ts';
import type { LeaseService } from '../lease-route-options.ts';
import { LeaseSchema, toLeaseView } from '../lease-schema.ts';
import { type LeaseFilter, LeaseStore, openLeaseStore } from '../lease-store.ts';
import { findLeaseTables, type LeaseTableChecks } from '../lease-tables.ts';
import { RevocationStore, type UnfinishedRevocation } from '../revocation-store.ts';

const defaultLimit = 100;

const listSchema = {
  tags: ['leases'],
  summary: 'List leases, newest first',
  description:
    'While the rows of a large revocation are being written, a page of one state may be shorter than its limit although next_cursor names another page.',
  querystring: Type.Object(
    {
      viewerId: Type.Optional(Type.String({ minLength: 1 })),
      contentId: Type.Optional(Type.String({ minLength: 1 })),
      state: Type.Optional(Type.Enum([...leaseStatuses])),
      ...listQuery(defaultLimit),
    },
    { additionalProperties: false },
  ),
  response: {
    200: Type.Object({
      leases: Type.Array(LeaseSchema),
      next_cursor: NextCursorSchema,
      total_active: Type.Integer({
        description: 'Active leases of the requested viewer and content.',
      }),
    }),
    ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
  },
};

/** `GET /api/v1/leases` */
export function addListLeasesRoute(app: App, service: LeaseService): void {
  const { db, clock } = service;
  const config = { access: 'manage', action: 'lease.list', limit: 'api' } as const;
  app.get('/api/v1/leases', { config, schema: listSchema }, async ({ query }) => {
    const { limit, after } = page(query, defaultLimit);
    const selector = { viewerId: query.viewerId ?? null, contentId: query.contentId ?? null };
    const now = clock.now();
    const filter = { ...selector, state: query.state ?? null };
    const { leases, next } = await listLeases(service, filter, now, limit, after);
    const store = await openLeaseStore(db, service);
    return {
      leases: leases.map((lease) => toLeaseView(lease, now)),
      next_cursor: next && encodeCursor(next),
      total_active: await store.countActive(selector, now),
    };
  });
}

const lookUpSchema = {
  tags: ['leases'],
  summary: 'Look a lease up',
  params: Type.Object({ id: Type.String() }),
  response: {
    200: Type.Object({ lease: LeaseSchema }),
    ...problems('UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE', 'LEASE_NOT_FOUND'),
  },
};

/** `GET /api/v1/leases/:id` */
export function addGetLeaseRoute(app: App, service: LeaseService): void {
  const { db, clock } = service;
  const config = { access: 'manage', action: 'lease.read', limit: 'api' } as const;
  app.get('/api/v1/leases/:id', { config, schema: lookUpSchema }, async ({ params: { id } }) => {
    const lease = isUuid(id) ? await (await openLeaseStore(db, service)).find(id) : null;
    if (!lease) throw new AppError('LEASE_NOT_FOUND');
    return { lease: toLeaseView(lease, clock.now()) };
  });
}

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
 * A page of leases, newest first, as they are now.
 *
 * While the rows of a revocation are being written, a row may look active and be revoked. Then pages of active and of
 * expired leases leave such rows out, and may be shorter than the limit though there is another page.
 */
export async function listLeases(
  service: Pick<LeaseService, 'db'> & LeaseTableChecks,
  filter: LeaseFilter,
  now: number,
  limit: number,
  after: Cursor | null,
): Promise<LeasePage> {
  const { db } = service;
  const { revocations: hasRevocations, sessions } = await findLeaseTables(db, service);
  const store = new LeaseStore(db, hasRevocations, sessions);
  // Read before the rows: a revocation that is finished in between is then shown by the rows.
  const unfinished = hasRevocations ? await new RevocationStore(db).listUnfinished(filter) : [];
  if (filter.state === null || unfinished.length === 0)
    return toPage(await store.list(filter, now, limit + 1, after), limit);
  if (filter.state === 'revoked') return listRevoked(store, filter, unfinished, now, limit, after);
  return listUncovered(store, narrow(filter, unfinished), now, limit, after);
}

function toPage(found: Lease[], limit: number): LeasePage {
  const leases = found.slice(0, limit);
  const last = leases.at(-1);
  return { leases, next: found.length > limit && last ? cursorOf(last) : null };
}

const cursorOf = ({ createdAt, id }: Lease): Cursor => ({ at: createdAt, id });

/** The cursor that comes later in a list, newest first. */
function laterOf(a: Cursor | null, b: Cursor | null): Cursor | null {
  if (a === null || b === null) return a ?? b;
  return a.at < b.at || (a.at === b.at && a.id < b.id) ? a : b;
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

/** Active or expired leases: by their rows, and without those that a revocation covers. */
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
    if (found.length > limit || !last || rows.length < rowsPerStep) return toPage(found, limit);
    cursor = cursorOf(last);
    await nextTurn();
  }
  return { leases: found, next: cursor };
}

/** Revoked leases: by their rows, and those that a revocation covers, in one order. */
async function listRevoked(
  store: LeaseStore,
  filter: LeaseFilter,
  unfinished: readonly UnfinishedRevocation[],
  now: number,
  limit: number,
  after: Cursor | null,
): Promise<LeasePage> {
  const found = new Map<string, Lease>();
  // The covered ones first: a row that is written in between is then seen twice, and not missed.
  for (const revocation of unfinished) {
    const viewerId = filter.viewerId ?? revocation.viewerId;
    const contentId = filter.contentId ?? revocation.contentId;
    // What comes before its cursor is written: a page would read half a million rows to find the first open one.
    const from = laterOf(after, revocation.cursor);
    const rows = await store.listOpen({ ...revocation, viewerId, contentId }, limit + 1, from);
    for (const lease of rows) found.set(lease.id, lease);
  }
  for (const lease of await store.list(filter, now, limit + 1, after)) found.set(lease.id, lease);
  const newestFirst = [...found.values()].sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  return toPage(newestFirst, limit);
}
