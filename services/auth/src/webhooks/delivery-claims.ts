import { inUnsyncedTransaction } from '@latchkey/shared/db';
import type { Database } from '../own-tables.ts';
import type { DeliveryRow, WebhookRow } from './webhook.ts';

/** The limit of a try and of storing its outcome. After it another process may send the message again. */
const claimMs = 30_000;

/** Active webhooks with a message that is due. @param id of the only one to look at; null for all */
export async function findDueWebhooks(
  db: Database,
  { now, id }: { now: number; id: string | null },
): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('status', '=', 'active')
    .$if(id !== null, (query) => query.where('id', '=', id))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhook_deliveries')
          .select('webhook_deliveries.id')
          .whereRef('webhook_deliveries.webhook_id', '=', 'webhooks.id')
          .where('state', '=', 'pending')
          .where('next_try_at', '<=', now),
      ),
    )
    .execute();
}

/**
 * Claims messages that are due, the oldest first: a claim moves the next try into the future and counts this one. So no other process sends
 * them at the same time, and after a crash they are due again by themselves.
 *
 * @returns the claimed ones, as they are now
 */
export async function claimDeliveries(
  db: Database,
  webhookId: string,
  { now, limit }: { now: number; limit: number },
): Promise<DeliveryRow[]> {
  const due = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .where('next_try_at', '<=', now)
    .orderBy('next_try_at')
    .limit(limit)
    .execute();
  if (due.length === 0) return [];
  const ids = due.map(({ id }) => id);
  return inUnsyncedTransaction(db, (tx) =>
    tx
      .updateTable('webhook_deliveries')
      .set((eb) => ({ next_try_at: now + claimMs, last_try_at: now, tries: eb('tries', '+', 1) }))
      .where('id', 'in', ids)
      .where('state', '=', 'pending')
      // Postgres looks again at a row that another process has claimed meanwhile.
      .where('next_try_at', '<=', now)
      .returningAll()
      .execute(),
  );
}

export interface TryOutcome {
  state: 'delivered' | 'failed' | 'pending';
  /** Milliseconds since 1970; for `pending` alone. */
  nextTryAt: number | null;
  status: number | null;
  error: string | null;
}

/**
 * Stores the outcome of a try, unless the message was claimed again or replayed meanwhile.
 *
 * @returns whether it was stored
 */
export async function settleDelivery(
  db: Database,
  { id, tries }: Pick<DeliveryRow, 'id' | 'tries'>,
  { state, nextTryAt, status, error }: TryOutcome,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await inUnsyncedTransaction(db, (tx) =>
    tx
      .updateTable('webhook_deliveries')
      .set({
        state,
        last_status: status,
        last_error: error,
        ...(state === 'pending' ? { next_try_at: nextTryAt ?? now } : { changed_at: now }),
      })
      .where('id', '=', id)
      .where('state', '=', 'pending')
      .where('tries', '=', tries)
      .executeTakeFirstOrThrow(),
  );
  return numUpdatedRows > 0n;
}

/** A receiver that answers 410 wants no more messages. */
export async function pauseByReceiver(db: Database, webhookId: string, now: number): Promise<void> {
  await inUnsyncedTransaction(db, (tx) =>
    tx
      .updateTable('webhooks')
      .set({ status: 'paused', paused_by: 'receiver', updated_at: now })
      .where('id', '=', webhookId)
      .where('status', '=', 'active')
      .execute(),
  );
}
