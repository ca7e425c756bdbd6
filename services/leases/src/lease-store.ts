import { type Cursor, hasReadAside, keepQuery, readAside } from '@latchkey/shared/db';
import { countCovered } from './count-covered.ts';
import type { Lease, LeaseStatus, Revoker } from './lease.ts';
import {
  coverColumns,
  hasUnfinished,
  inState,
  isAfter,
  isByExpiry,
  isCovered,
  isDescending,
  isOpen,
  type LeaseExpression,
  type LeaseOrder,
  laterOf,
  leaseColumns,
  type OpenLeases,
  toLease,
  toRow,
} from './lease-row.ts';
import { matchesSelector, type SeenLeases } from './lease-selector.ts';
import type { Database, Transaction } from './own-tables.ts';
import { sessionColumn } from './session-store.ts';

/** Index entries that a count reads in this thread: some 1 ms on SQLite, in which the process answers no request. */
const countedAtOnce = 5_000;

/** How a lease ends before its time. */
export interface Revocation {
  at: number;
  by: Revoker;
  reason: string | null;
}

/** A new expiry of a lease, in milliseconds since 1970. */
export interface Renewal {
  at: number;
  expiresAt: number;
  /** Only a lease that expires after this time. Revocations are checked in the same statement. */
  expiringAfter: number;
}

export interface LeaseFilter extends SeenLeases {
  state: LeaseStatus | null;
  /** Only leases that were created after this time, */
  createdAfter?: number;
  /** and at this time at the latest. */
  createdUpTo?: number;
  /** Newest first by default. */
  order?: LeaseOrder | undefined;
}

/** SQL on the table `leases`. What it reads shows every revocation from its commit on, written to the rows or not. */
export class LeaseStore {
  readonly #db: Database | Transaction;

  constructor(db: Database | Transaction) {
    this.#db = db;
  }

  #select() {
    return this.#db.selectFrom('leases').select(leaseColumns).select(coverColumns).select(sessionColumn);
  }

  /** Active now, by the row and by the revocations that cover it. */
  #isActive(eb: LeaseExpression, now: number) {
    return eb.and([inState(eb, 'active', now), eb.not(isCovered(eb))]);
  }

  selectById(id: string) {
    return this.#select().where('id', '=', id);
  }

  async find(id: string): Promise<Lease | null> {
    const row = await this.selectById(id).executeTakeFirst();
    return row ? toLease(row) : null;
  }

  async insert(lease: Lease): Promise<void> {
    await this.#db.insertInto('leases').values(toRow(lease)).execute();
  }

  /** In the filter's order, up to `limit`, after the cursor. The filter reads only the rows. The leases show every revocation. */
  async list(filter: LeaseFilter, now: number, limit: number, after: Cursor | null): Promise<Lease[]> {
    const { createdAfter, createdUpTo, order = '-createdAt' } = filter;
    const direction = isDescending(order) ? 'desc' : 'asc';
    const query = this.#select()
      .where((eb) => matchesSelector(eb, filter))
      .$if(filter.state !== null, (query) => query.where((eb) => inState(eb, filter.state ?? 'active', now)))
      .$if(createdAfter !== undefined, (query) => query.where('created_at', '>', createdAfter ?? 0))
      .$if(createdUpTo !== undefined, (query) => query.where('created_at', '<=', createdUpTo ?? 0))
      .$if(after !== null, (query) => query.where((eb) => isAfter(eb, after, order)))
      .orderBy(isByExpiry(order) ? 'expires_at' : 'created_at', direction)
      .orderBy('id', direction)
      .limit(limit);
    // The few leases of a limited API key may be spread over all others.
    const rows = filter.within ? await readAside(this.#db, query) : await query.execute();
    return rows.map(toLease);
  }

  /**
   * The leases that a revocation covers and whose rows do not show it yet, up to `limit`, after the cursor. Its rows are written newest first.
   *
   * @param written the last row that was written
   */
  async listOpen(
    open: OpenLeases & { written: Cursor | null },
    limit: number,
    after: Cursor | null,
    isNewestFirst = true,
  ): Promise<Lease[]> {
    const direction = isNewestFirst ? 'desc' : 'asc';
    const from = isNewestFirst ? open.createdAfter : Math.max(open.createdAfter, (after?.at ?? 0) - 1);
    // All rows before the last written one are written: a page would read half a million rows to find the first open one.
    const below = isNewestFirst ? laterOf(after, open.written) : open.written;
    const rows = await this.#select()
      .where((eb) => isOpen(eb, { ...open, createdAfter: from }, below))
      .$if(!isNewestFirst && after !== null, (query) => query.where((eb) => isAfter(eb, after, 'createdAt')))
      .orderBy('created_at', direction)
      .orderBy('id', direction)
      .limit(limit)
      .execute();
    return rows.map(toLease);
  }

  /** How many of the named leases are active now. Counting a million delays no other request (`readAside`). */
  async countActive(selector: SeenLeases, now: number): Promise<number> {
    const few = hasReadAside(this.#db) && !selector.within ? await this.#countFew(selector, now) : null;
    if (few !== null) return few;
    const query = this.#db
      .selectFrom('leases')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where((eb) => eb.and([matchesSelector(eb, selector), inState(eb, 'active', now)]))
      // In the same statement: rows that are written in between would be counted in one number and not in the other.
      .select(countCovered(selector, now).as('covered'));
    const [found] = await readAside(this.#db, query);
    return (found?.count ?? 0) - (found?.covered ?? 0);
  }

  /** How many active leases are sessions. Counting many delays no other request (`readAside`). */
  async countActiveSessions(now: number): Promise<number> {
    // A lease of a session never outlives it.
    const running = this.#db.selectFrom('sessions').select('lease_id').where('ends_at', '>', now);
    const few = await this.#db
      .selectFrom(running.limit(countedAtOnce).as('looked'))
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (few.count === 0) return 0;
    const query = this.#db
      .selectFrom('leases')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('id', 'in', running)
      .where((eb) => this.#isActive(eb, now));
    const [found] = few.count < countedAtOnce ? await query.execute() : await readAside(this.#db, query);
    return found?.count ?? 0;
  }

  /**
   * Spares small installations the thread, and lists of a viewer the wait for a count of everything on it. Null if there are
   * many, or a revocation is still being written to rows (but the few leases of a viewer are compared with it one by one).
   */
  async #countFew(selector: SeenLeases, now: number): Promise<number | null> {
    const named = selector.viewerId !== null || selector.contentId !== null;
    const comparesRows = selector.viewerId !== null;
    const looked = this.#db
      .selectFrom('leases')
      .select((eb) => ['expires_at', (comparesRows ? isCovered(eb) : eb.lit(0)).as('covered')])
      .where((eb) => eb.and([matchesSelector(eb, selector), eb('revoked_at', 'is', null)]))
      // An index in another order finds the leases of a selector, so the limit has to count expired leases, too.
      .$if(!named, (query) => query.where('expires_at', '>', now))
      .limit(countedAtOnce);
    const { seen, active, unfinished } = await this.#db
      .selectFrom(looked.as('looked'))
      .select((eb) => [
        eb.fn.countAll<number>().as('seen'),
        eb.fn
          .countAll<number>()
          .filterWhere('expires_at', '>', now)
          .filterWhere(eb('covered', '=', 0))
          .as('active'),
      ])
      // In the same statement, as below.
      .select((eb) =>
        (comparesRows ? eb.lit(0) : hasUnfinished(eb as unknown as LeaseExpression)).as('unfinished'),
      )
      .executeTakeFirstOrThrow();
    return seen === countedAtOnce || unfinished ? null : active;
  }
}

/** `LeaseStore.find` for requests that come all the time. @param leaseId a UUID */
export type LeaseFinder = (leaseId: string) => Promise<Lease | null>;

export function createLeaseFinder(db: Database): LeaseFinder {
  const store = new LeaseStore(db);
  const find = keepQuery(db, (id) => store.selectById(id));
  return async (leaseId) => {
    const [row] = await find(leaseId);
    return row ? toLease(row) : null;
  };
}
