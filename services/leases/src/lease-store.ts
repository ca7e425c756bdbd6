import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Cursor, Database, LeaseTable, Schema, Transaction } from '@latchkey/shared/db';
import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely';
import type { Lease, LeaseStateName, Revoker } from './lease.ts';
import { type LeaseSelector, matchesSelector } from './lease-selector.ts';

const columns = [
  'id',
  'viewer_id',
  'content_id',
  'device_id',
  'created_at',
  'renewed_at',
  'expires_at',
  'revoked_at',
  'revoked_by',
  'reason',
] as const;

/** Some 20 ms on either database: on SQLite a statement is time in which the process answers nobody. */
const rowsPerRevocation = 1_000;

/** How a lease ends before its time. */
export interface Revocation {
  at: number;
  by: Revoker;
  reason: string | null;
}

/** A new life for a lease, in milliseconds since 1970. */
export interface Renewal {
  at: number;
  expiresAt: number;
  /** Only a lease that expires after this time; a revocation, too, is looked at in the same statement. */
  expiringAfter: number;
}

export interface LeaseFilter extends LeaseSelector {
  state: LeaseStateName | null;
}

/** All SQL on the table `leases`. */
export class LeaseStore {
  readonly #db: Database | Transaction;

  constructor(db: Database | Transaction) {
    this.#db = db;
  }

  async find(id: string): Promise<Lease | null> {
    const row = await this.#db.selectFrom('leases').select(columns).where('id', '=', id).executeTakeFirst();
    return row ? toLease(row) : null;
  }

  async insert(lease: Lease): Promise<void> {
    await this.#db.insertInto('leases').values(toRow(lease)).execute();
  }

  /** The viewer's active leases, oldest first. */
  async listActiveOf(viewerId: string, now: number): Promise<Lease[]> {
    const rows = await this.#db
      .selectFrom('leases')
      .select(columns)
      .where('viewer_id', '=', viewerId)
      .where((eb) => inState(eb, 'active', now))
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(toLease);
  }

  /** The viewer's active lease for the same content and device, the newest where there are several. */
  async findReusable(
    { viewerId, contentId, deviceId }: Pick<Lease, 'viewerId' | 'contentId' | 'deviceId'>,
    now: number,
  ): Promise<Lease | null> {
    const row = await this.#db
      .selectFrom('leases')
      .select(columns)
      .where('viewer_id', '=', viewerId)
      .where('content_id', '=', contentId)
      .where('device_id', 'is not distinct from', deviceId)
      .where((eb) => inState(eb, 'active', now))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .executeTakeFirst();
    return row ? toLease(row) : null;
  }

  /**
   * Renews where that is still allowed when the statement runs, so that a revocation at the same time wins.
   *
   * @returns the lease as it is now, null where nothing was renewed
   */
  async renew(id: string, { at, expiresAt, expiringAfter }: Renewal): Promise<Lease | null> {
    const row = await this.#db
      .updateTable('leases')
      .set({ renewed_at: at, expires_at: expiresAt })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', expiringAfter)
      .returning(columns)
      .executeTakeFirst();
    return row ? toLease(row) : null;
  }

  /** @returns the lease as it is now, null where it was revoked before or is not there */
  async revokeOne(id: string, revocation: Revocation): Promise<Lease | null> {
    const row = await this.#db
      .updateTable('leases')
      .set(columnsOf(revocation))
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning(columns)
      .executeTakeFirst();
    return row ? toLease(row) : null;
  }

  /**
   * Revokes what the selector names and what expires after the given time. Only the newest `shown` come back: there may
   * be more than fit in memory.
   */
  async revokeMatching(
    selector: LeaseSelector,
    revocation: Revocation,
    expiringAfter: number,
    shown: number,
  ): Promise<{ revoked: number; leases: Lease[] }> {
    const open = (eb: ExpressionBuilder<Schema, 'leases'>) =>
      eb.and([
        matchesSelector(eb, selector),
        eb('revoked_at', 'is', null),
        eb('expires_at', '>', expiringAfter),
      ]);
    const leases: Lease[] = [];
    let revoked = 0;
    let after: Cursor | null = null;
    for (;;) {
      const batch = await this.#revokeNewest(open, revocation, after);
      leases.push(...batch.slice(0, shown - leases.length));
      revoked += batch.length;
      const last = batch.at(-1);
      if (!last || batch.length < rowsPerRevocation) break;
      after = { at: last.createdAt, id: last.id };
      // SQLite's answers come without a turn of the event loop: without this, no key would be served until the last batch.
      await nextTurn();
    }
    // A batch is short, too, where another transaction changed one of its rows after they were chosen. So the end is not
    // when a batch is short, but when none is left.
    const { numUpdatedRows } = await this.#db
      .updateTable('leases')
      .set(columnsOf(revocation))
      .where(open)
      .executeTakeFirstOrThrow();
    return { revoked: revoked + Number(numUpdatedRows), leases };
  }

  /** Revokes the newest open leases after the cursor, as many as one statement may. Newest first. */
  async #revokeNewest(
    open: (eb: ExpressionBuilder<Schema, 'leases'>) => Expression<SqlBool>,
    revocation: Revocation,
    after: Cursor | null,
  ): Promise<Lease[]> {
    const newest = this.#db
      .selectFrom('leases')
      .select('id')
      .where(open)
      .$if(after !== null, (query) => query.where((eb) => isAfter(eb, after)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(rowsPerRevocation);
    const rows = await this.#db
      .updateTable('leases')
      .set(columnsOf(revocation))
      .where('id', 'in', newest)
      // Again, for the row that another transaction revoked after it was chosen. Not the selector, which cannot change:
      // SQLite would walk through everything that it names.
      .where('revoked_at', 'is', null)
      .returning(columns)
      .execute();
    return rows.map(toLease).sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  }

  /** Newest first, up to `limit`, after the cursor. */
  async list(filter: LeaseFilter, now: number, limit: number, after: Cursor | null): Promise<Lease[]> {
    const rows = await this.#db
      .selectFrom('leases')
      .select(columns)
      .where((eb) => matchesSelector(eb, filter))
      .$if(filter.state !== null, (query) => query.where((eb) => inState(eb, filter.state ?? 'active', now)))
      .$if(after !== null, (query) => query.where((eb) => isAfter(eb, after)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(toLease);
  }

  async countActive(selector: LeaseSelector, now: number): Promise<number> {
    const { count } = await this.#db
      .selectFrom('leases')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where((eb) => eb.and([matchesSelector(eb, selector), inState(eb, 'active', now)]))
      .executeTakeFirstOrThrow();
    return count;
  }

  /**
   * Removes leases that expired or were revoked before the given times, at most `limit`.
   *
   * @returns how many
   */
  async purge({ expiredBefore, revokedBefore }: PurgeBounds, limit: number): Promise<number> {
    const old = this.#db
      .selectFrom('leases')
      .select('id')
      // A lease is created before it ends: the index on `created_at` keeps the search to old ones.
      .where('created_at', '<', Math.max(expiredBefore, revokedBefore))
      .where((eb) => eb.or([eb('expires_at', '<', expiredBefore), eb('revoked_at', '<', revokedBefore)]))
      .orderBy('created_at')
      .limit(limit);
    const { numDeletedRows } = await this.#db.deleteFrom('leases').where('id', 'in', old).executeTakeFirst();
    return Number(numDeletedRows);
  }
}

/** Milliseconds since 1970. */
export interface PurgeBounds {
  expiredBefore: number;
  revokedBefore: number;
}

function columnsOf({ at, by, reason }: Revocation) {
  return { revoked_at: at, revoked_by: by, reason };
}

/** Whether a row comes after the cursor in the order of lists, newest first. */
function isAfter(eb: ExpressionBuilder<Schema, 'leases'>, cursor: Cursor | null) {
  return eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(cursor?.at ?? 0, cursor?.id ?? ''));
}

/** What `stateOf` says, in SQL. */
function inState(eb: ExpressionBuilder<Schema, 'leases'>, state: LeaseStateName, now: number) {
  if (state === 'revoked') return eb('revoked_at', 'is not', null);
  return eb.and([eb('revoked_at', 'is', null), eb('expires_at', state === 'active' ? '>' : '<=', now)]);
}

function toLease(row: Selectable<LeaseTable>): Lease {
  return {
    id: row.id,
    viewerId: row.viewer_id,
    contentId: row.content_id,
    deviceId: row.device_id,
    createdAt: row.created_at,
    renewedAt: row.renewed_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    revokedBy: row.revoked_by as Revoker | null,
    reason: row.reason,
  };
}

function toRow(lease: Lease): Selectable<LeaseTable> {
  return {
    id: lease.id,
    viewer_id: lease.viewerId,
    content_id: lease.contentId,
    device_id: lease.deviceId,
    created_at: lease.createdAt,
    renewed_at: lease.renewedAt,
    expires_at: lease.expiresAt,
    revoked_at: lease.revokedAt,
    revoked_by: lease.revokedBy,
    reason: lease.reason,
  };
}
