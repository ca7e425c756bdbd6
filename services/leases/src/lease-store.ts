import type { Cursor, Database, LeaseTable, Schema, Transaction } from '@latchkey/shared/db';
import type { ExpressionBuilder, Selectable } from 'kysely';
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
  async revokeOne(id: string, { at, by, reason }: Revocation): Promise<Lease | null> {
    const row = await this.#db
      .updateTable('leases')
      .set({ revoked_at: at, revoked_by: by, reason })
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
    { at, by, reason }: Revocation,
    expiringAfter: number,
    shown: number,
  ): Promise<{ revoked: number; leases: Lease[] }> {
    const open = (eb: ExpressionBuilder<Schema, 'leases'>) =>
      eb.and([
        matchesSelector(eb, selector),
        eb('revoked_at', 'is', null),
        eb('expires_at', '>', expiringAfter),
      ]);
    const values = { revoked_at: at, revoked_by: by, reason };
    const newest = this.#db
      .selectFrom('leases')
      .select('id')
      .where(open)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(shown);
    const rows = await this.#db
      .updateTable('leases')
      .set(values)
      .where('id', 'in', newest)
      // Again, for the row that another transaction changed after it was chosen.
      .where(open)
      .returning(columns)
      .execute();
    const { numUpdatedRows } = await this.#db
      .updateTable('leases')
      .set(values)
      .where(open)
      .executeTakeFirstOrThrow();
    const leases = rows.map(toLease).sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
    return { revoked: leases.length + Number(numUpdatedRows), leases };
  }

  /** Newest first, up to `limit`, after the cursor. */
  async list(filter: LeaseFilter, now: number, limit: number, after: Cursor | null): Promise<Lease[]> {
    const rows = await this.#db
      .selectFrom('leases')
      .select(columns)
      .where((eb) => matchesSelector(eb, filter))
      .$if(filter.state !== null, (query) => query.where((eb) => inState(eb, filter.state ?? 'active', now)))
      .$if(after !== null, (query) =>
        query.where((eb) =>
          eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(after?.at ?? 0, after?.id ?? '')),
        ),
      )
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
