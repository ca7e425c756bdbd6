import { anyId as any, type Cursor, type RevocationTable } from '@latchkey/shared/db';
import type { Selectable } from 'kysely';
import type { LeaseSelector } from './lease-selector.ts';
import type { Database, Transaction } from './own-tables.ts';

/**
 * A revocation by viewer, content or both. From its commit on it revokes the leases it names that were created in
 * (`createdAfter`, `createdUpTo`] and expire after `expiringAfter`; their rows are written afterwards. All times are
 * milliseconds since 1970.
 */
export interface SelectorRevocation extends LeaseSelector {
  createdAfter: number;
  createdUpTo: number;
  expiringAfter: number;
  revokedAt: number;
  reason: string | null;
  /** The row of the audit that gets the number of leases; null if no row was written. */
  auditNumber: number | null;
}

/** A revocation whose rows are still being written, newest lease first. */
export interface UnfinishedRevocation extends SelectorRevocation {
  number: number;
  written: number;
  /** The last row that was written; null before the first. */
  cursor: Cursor | null;
}

/** All SQL on the table `revocations`. */
export class RevocationStore {
  readonly #db: Database | Transaction;

  constructor(db: Database | Transaction) {
    this.#db = db;
  }

  /** @param finished how many rows were written, if that is all of them; null if they are still to be written */
  async insert(
    revocation: SelectorRevocation,
    finished: { at: number; written: number } | null,
  ): Promise<void> {
    await this.#db
      .insertInto('revocations')
      .values({
        viewer_id: revocation.viewerId ?? any,
        content_id: revocation.contentId ?? any,
        created_after: revocation.createdAfter,
        revoked_up_to: revocation.createdUpTo,
        expiring_after: revocation.expiringAfter,
        revoked_at: revocation.revokedAt,
        reason: revocation.reason,
        audit_number: revocation.auditNumber,
        written: finished?.written ?? 0,
        finished_at: finished?.at ?? null,
      })
      .execute();
    if (finished) await this.#tellAudit(revocation.auditNumber, finished.written);
  }

  /** The newest creation that an earlier revocation of just this viewer, content or pair covers; 0 without one. */
  async findCoveredUpTo({ viewerId, contentId }: LeaseSelector): Promise<number> {
    const row = await this.#db
      .selectFrom('revocations')
      .select((eb) => eb.fn.max<number | null>('revoked_up_to').as('at'))
      .where('viewer_id', '=', viewerId ?? any)
      .where('content_id', '=', contentId ?? any)
      .executeTakeFirst();
    return row?.at ?? 0;
  }

  /** Those whose rows are still being written and that can cover a lease of the selector, in the order of their numbers. */
  async listUnfinished(
    { viewerId, contentId }: LeaseSelector,
    limit?: number,
  ): Promise<UnfinishedRevocation[]> {
    const rows = await this.#db
      .selectFrom('revocations')
      .selectAll()
      .where('finished_at', 'is', null)
      .$if(viewerId !== null, (query) => query.where('viewer_id', 'in', [any, viewerId ?? any]))
      .$if(contentId !== null, (query) => query.where('content_id', 'in', [any, contentId ?? any]))
      .orderBy('number')
      .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
      .execute();
    return rows.map(toRevocation);
  }

  /** Stores how far the rows of a revocation have been written. */
  async note(
    { number, auditNumber }: UnfinishedRevocation,
    { written, cursor, finishedAt }: { written: number; cursor: Cursor | null; finishedAt: number | null },
  ): Promise<void> {
    await this.#db
      .updateTable('revocations')
      .set({
        written,
        cursor_at: cursor?.at ?? null,
        cursor_id: cursor?.id ?? null,
        finished_at: finishedAt,
      })
      .where('number', '=', number)
      .execute();
    if (finishedAt !== null) await this.#tellAudit(auditNumber, written);
  }

  async #tellAudit(number: number | null, affected: number): Promise<void> {
    if (number === null) return;
    await this.#db.updateTable('audit').set({ affected }).where('number', '=', number).execute();
  }
}

/** When the newest lease of the viewer, or else of the content, was created; 0 without any lease. */
export async function findNewestCreation(
  tx: Transaction,
  { viewerId, contentId }: LeaseSelector,
): Promise<number> {
  // For a pair, the newest lease of the viewer is enough: it is read from the end of one index, and is not earlier.
  const row = await tx
    .selectFrom('leases')
    .select('created_at')
    .$if(viewerId !== null, (query) => query.where('viewer_id', '=', viewerId ?? any))
    .$if(viewerId === null, (query) => query.where('content_id', '=', contentId ?? any))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.created_at ?? 0;
}

function toRevocation(row: Selectable<RevocationTable>): UnfinishedRevocation {
  return {
    number: row.number,
    viewerId: row.viewer_id === any ? null : row.viewer_id,
    contentId: row.content_id === any ? null : row.content_id,
    createdAfter: row.created_after,
    createdUpTo: row.revoked_up_to,
    expiringAfter: row.expiring_after,
    revokedAt: row.revoked_at,
    reason: row.reason,
    auditNumber: row.audit_number,
    written: row.written,
    cursor:
      row.cursor_at === null || row.cursor_id === null ? null : { at: row.cursor_at, id: row.cursor_id },
  };
}
