import type { Cursor, LeaseTable } from '@latchkey/shared/db';
import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import type { Lease, LeaseStatus, Revoker } from './lease.ts';
import { matchesSelector, type SeenLeases } from './lease-selector.ts';
import type { Schema } from './own-tables.ts';
import { readSession } from './session-store.ts';

export const leaseColumns = [
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

export type LeaseExpression = ExpressionBuilder<Schema, 'leases'>;
type LeaseRow = Selectable<LeaseTable>;

/** A row, with the time and reason of a revocation by viewer or content that covers it and is not written to it yet. */
interface CoveredRow extends LeaseRow {
  covered_at?: number | null;
  covered_reason?: string | null;
  /** `sessionColumn`. */
  session?: string | null;
}

/** The revocations by viewer or content that cover a row of `leases` and are still being written to rows. */
function covering(eb: LeaseExpression) {
  return eb
    .selectFrom('revocations as covering')
    .where('covering.finished_at', 'is', null)
    .where(sql<boolean>`covering.content_id in (leases.content_id, '')`)
    .where(sql<boolean>`covering.viewer_id in (leases.viewer_id, '')`)
    .whereRef('covering.revoked_up_to', '>=', 'leases.created_at')
    .whereRef('covering.created_after', '<', 'leases.created_at')
    .whereRef('covering.expiring_after', '<', 'leases.expires_at');
}

/** Whether a revocation by viewer or content covers the row and is not written to it yet. */
export function isCovered(eb: LeaseExpression) {
  return eb.exists(covering(eb).select(eb.lit(1).as('one')));
}

/** Whether a revocation is still being written to rows. */
export function hasUnfinished(eb: Pick<LeaseExpression, 'exists' | 'selectFrom' | 'lit'>) {
  return eb.exists(
    eb.selectFrom('revocations').select(eb.lit(1).as('one')).where('revocations.finished_at', 'is', null),
  );
}

/** The columns `covered_at` and `covered_reason` of `CoveredRow`. Of several revocations the first one counts. */
export function coverColumns(eb: LeaseExpression) {
  // Not by the number alone: Postgres would read the whole index of numbers to find one that covers.
  const first = covering(eb)
    .where('leases.revoked_at', 'is', null)
    .orderBy(sql`covering.number + 0`)
    .limit(1);
  return [
    first.select('covering.revoked_at').as('covered_at'),
    first.select('covering.reason').as('covered_reason'),
  ] as const;
}

/**
 * Whether a revocation by viewer or content was written after the lease was created. It is wider than `isCovered`: a lease
 * that had ended by then is not revoked, but a longer LEASE_RENEW_GRACE_SECONDS must not bring it back.
 */
export function isOlderThanRevocation(eb: LeaseExpression) {
  return eb.exists(
    eb
      .selectFrom('revocations as later')
      .select(eb.lit(1).as('one'))
      .where(sql<boolean>`later.content_id in (leases.content_id, '')`)
      .where(sql<boolean>`later.viewer_id in (leases.viewer_id, '')`)
      .whereRef('later.revoked_up_to', '>=', 'leases.created_at'),
  );
}

/** `statusOf` in SQL, by the row alone. */
export function inState(eb: LeaseExpression, state: LeaseStatus, now: number) {
  if (state === 'revoked') return eb('revoked_at', 'is not', null);
  return eb.and([eb('revoked_at', 'is', null), eb('expires_at', state === 'active' ? '>' : '<=', now)]);
}

/** The rows that a revocation by viewer or content writes: the leases that it names, created and expiring as given. */
export interface OpenLeases extends SeenLeases {
  /** Exclusive, in milliseconds since 1970. */
  createdAfter: number;
  /** Inclusive. */
  createdUpTo: number;
  expiringAfter: number;
}

/**
 * The condition on a row of `leases` that a revocation covers, is not written to yet, and comes after the cursor.
 *
 * The time of the cursor replaces `createdUpTo`. SQLite seeks by one upper bound only, and takes a plain one before the pair of
 * `isAfter`. With `createdUpTo`, each step would read every row that was written before it: 20 ms after 200,000 rows.
 *
 * @param isByCreation no index of expiry serves: for a range of creations, which is a small part of a viewer's leases
 */
export function isOpen(
  eb: LeaseExpression,
  { createdAfter, createdUpTo, expiringAfter, ...named }: OpenLeases,
  after: Cursor | null = null,
  isByCreation = false,
) {
  return eb.and([
    matchesSelector(eb, named),
    eb('revoked_at', 'is', null),
    eb('created_at', '>', createdAfter),
    eb('created_at', '<=', Math.min(createdUpTo, after?.at ?? createdUpTo)),
    isByCreation
      ? eb(sql<number>`leases.expires_at + 0`, '>', expiringAfter)
      : eb('expires_at', '>', expiringAfter),
    ...(after === null ? [] : [isAfter(eb, after)]),
  ]);
}

/** The orders of the list, the usual one first. Each order has an index. */
export const leaseOrders = ['-createdAt', 'createdAt', 'expiresAt', '-expiresAt'] as const;
export type LeaseOrder = (typeof leaseOrders)[number];

export const isDescending = (order: LeaseOrder) => order.startsWith('-');
export const isByExpiry = (order: LeaseOrder) => order.endsWith('expiresAt');

/** Whether a row comes after the cursor in the order of a list. */
export function isAfter(eb: LeaseExpression, cursor: Cursor | null, order: LeaseOrder = '-createdAt') {
  const [at, id] = [cursor?.at ?? 0, cursor?.id ?? ''];
  const than = isDescending(order) ? '<' : '>';
  return isByExpiry(order)
    ? eb(eb.refTuple('expires_at', 'id'), than, eb.tuple(at, id))
    : eb(eb.refTuple('created_at', 'id'), than, eb.tuple(at, id));
}

/** The cursor of a list in this order that ends with the lease. */
export function cursorOf({ createdAt, expiresAt, id }: Lease, order: LeaseOrder = '-createdAt'): Cursor {
  return { at: isByExpiry(order) ? expiresAt : createdAt, id };
}

/** The cursor that comes later in a list, newest first. */
export function laterOf(a: Cursor | null, b: Cursor | null): Cursor | null {
  if (a === null || b === null) return a ?? b;
  return a.at < b.at || (a.at === b.at && a.id < b.id) ? a : b;
}

export function toLease(row: CoveredRow): Lease {
  const isCoveredOnly = row.revoked_at === null && typeof row.covered_at === 'number';
  return {
    id: row.id,
    viewerId: row.viewer_id,
    contentId: row.content_id,
    deviceId: row.device_id,
    createdAt: row.created_at,
    renewedAt: row.renewed_at,
    expiresAt: row.expires_at,
    revokedAt: isCoveredOnly ? (row.covered_at ?? null) : row.revoked_at,
    revokedBy: isCoveredOnly ? 'management' : (row.revoked_by as Revoker | null),
    reason: isCoveredOnly ? (row.covered_reason ?? null) : row.reason,
    ...(row.session && { session: readSession(row.session) }),
  };
}

export function toRow(lease: Lease): LeaseRow {
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
