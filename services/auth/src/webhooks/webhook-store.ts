import { lockSubject } from '@latchkey/shared/db';
import type { Database, Transaction } from '../own-tables.ts';
import { invisibleForMs, storePlace } from '../read-final-rows.ts';
import { type DeliveryRow, type DeliveryState, mostWebhooks, type WebhookRow } from './webhook.ts';

type Connection = Database | Transaction;

/** Makes changes of webhooks and the reading of the audit for them take turns, until the end of the transaction. */
export function lockWebhooks(tx: Transaction): Promise<void> {
  return lockSubject(tx, 'webhooks', 'exclusive');
}

/** Oldest first: there are few. */
export async function listWebhooks(db: Connection): Promise<WebhookRow[]> {
  return db.selectFrom('webhooks').selectAll().orderBy('created_at').orderBy('id').execute();
}

export async function findWebhook(db: Connection, id: string): Promise<WebhookRow | undefined> {
  return db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function insertWebhook(tx: Transaction, row: WebhookRow): Promise<void> {
  await tx.insertInto('webhooks').values(row).execute();
}

export async function updateWebhook(
  db: Connection,
  id: string,
  changes: Partial<Omit<WebhookRow, 'id'>>,
): Promise<void> {
  await db.updateTable('webhooks').set(changes).where('id', '=', id).execute();
}

/** Removes a webhook. Its deliveries follow in short steps (`purgeDeliveries`), because there may be many. */
export async function deleteWebhook(tx: Transaction, id: string): Promise<void> {
  await tx.deleteFrom('webhooks').where('id', '=', id).execute();
}

/** A row of the audit is read some seconds after its act. So a webhook that is paused still gets what happened before. */
const readAfterPauseMs = 60_000;

/** The webhooks for which the audit is read. */
export function listening(db: Connection, now: number) {
  return db
    .selectFrom('webhooks')
    .where((eb) => eb.or([eb('status', '=', 'active'), eb('updated_at', '>', now - readAfterPauseMs)]));
}

/**
 * Lets the audit be read for webhooks from its end on, if none listens yet. Until now nobody wanted an event, so its position was not
 * kept. Call it before a webhook becomes active, in the same transaction.
 */
export async function beginAtEndOfAudit(tx: Transaction, now: number): Promise<void> {
  if (await listening(tx, now).select('id').limit(1).executeTakeFirst()) return;
  const end = await tx
    .selectFrom('audit')
    .select('number')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  const passed = end ? await readLastBefore(tx, end.number, now) : 0;
  await storePlace(tx, 'webhooks', { passed, waiting: [] });
}

/** Rows that one search reads: half a minute of a busy server. */
const lookedAt = 5_000;

/**
 * The number of the audit up to which everything is from before a webhook becomes active.
 *
 * On Postgres a row gets its number before its transaction ends. Where a number is missing, its act may end only after this one, and a lost
 * event is worse than one too many: then it is from afterwards, and so are the rows that follow it.
 *
 * @param own the number of the row that says so
 */
export async function readLastBefore(tx: Transaction, own: number, now: number): Promise<number> {
  const rows = await tx
    .selectFrom('audit')
    .select(['number', 'at'])
    .where('number', '<', own)
    .orderBy('number', 'desc')
    .limit(lookedAt)
    .execute();
  let last = own;
  let above = own;
  for (const { number, at } of rows) {
    if (number < above - 1) last = number;
    if (at < now - invisibleForMs) break;
    above = number;
  }
  return last;
}

/** A waiting message more than this is counted and dropped: a receiver that is away must not fill the disk. */
export const mostPending = 10_000;

/** How many deliveries of a webhook wait, counted up to the bound. */
export async function countPending(db: Connection, webhookId: string): Promise<number> {
  const waiting = db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .limit(mostPending);
  const { count } = await db
    .selectFrom(waiting.as('waiting'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** By the id of the webhook. */
export async function countAllPending(db: Connection): Promise<Map<string, number>> {
  const webhooks = await listWebhooks(db);
  const counts = new Map<string, number>();
  for (const { id } of webhooks) counts.set(id, await countPending(db, id));
  return counts;
}

export async function findDelivery(
  db: Connection,
  webhookId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Newest first, at most `limit` rows from after the cursor. */
export async function listDeliveries(
  db: Connection,
  { webhookId, state }: { webhookId: string; state?: DeliveryState | undefined },
  { limit, after }: { limit: number; after: { at: number; id: string } | null },
): Promise<DeliveryRow[]> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? ''))
    .$if(after !== null, (query) =>
      query.where((eb) =>
        eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(after?.at ?? 0, after?.id ?? '')),
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** No webhook more than this (`docs/reference/webhooks.md`). */
export async function hasRoomForWebhook(tx: Transaction): Promise<boolean> {
  const rows = await tx.selectFrom('webhooks').select('id').limit(mostWebhooks).execute();
  return rows.length < mostWebhooks;
}
