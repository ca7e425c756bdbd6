import { rowList } from '@latchkey/shared/db';
import type { Transaction } from '../own-tables.ts';
import type { WebhookRow } from './webhook.ts';
import { testEvent, toMessageId, toPayload, type WebhookEvent } from './webhook-events.ts';
import { countPending, mostPending } from './webhook-store.ts';

/** How many events a webhook did not get because too many waited. */
export interface DroppedEvents {
  webhook: Pick<WebhookRow, 'id' | 'name'>;
  count: number;
}

/**
 * Adds a delivery for each event and each webhook that wants it, in the caller's transaction. An event that a webhook already has is
 * left as it is.
 *
 * @param webhooks the active ones
 * @param now milliseconds since 1970
 * @returns what was dropped because `mostPending` messages wait
 */
export async function enqueueEvents(
  tx: Transaction,
  webhooks: readonly WebhookRow[],
  events: readonly WebhookEvent[],
  now: number,
): Promise<DroppedEvents[]> {
  const dropped: DroppedEvents[] = [];
  for (const webhook of webhooks) {
    const wanted = new Set<string>([...(JSON.parse(webhook.events) as string[]), testEvent]);
    const own = events.filter(({ type }) => wanted.has(type));
    if (own.length === 0) continue;
    const room = Math.max(0, mostPending - (await countPending(tx, webhook.id)));
    await insertDeliveries(tx, webhook.id, own.slice(0, room), now);
    if (own.length <= room) continue;
    const count = own.length - room;
    dropped.push({ webhook, count });
    await tx
      .updateTable('webhooks')
      .set((eb) => ({ dropped: eb('dropped', '+', count) }))
      .where('id', '=', webhook.id)
      .execute();
  }
  return dropped;
}

const columns = {
  id: 'text',
  webhook_id: 'text',
  type: 'text',
  payload: 'text',
  state: 'text',
  created_at: 'bigint',
  changed_at: 'bigint',
  next_try_at: 'bigint',
} as const;

async function insertDeliveries(
  tx: Transaction,
  webhookId: string,
  events: readonly WebhookEvent[],
  now: number,
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => ({
    id: toMessageId(webhookId, event.key),
    webhook_id: webhookId,
    type: event.type,
    payload: toPayload(event),
    state: 'pending',
    created_at: now,
    changed_at: now,
    next_try_at: now,
  }));
  const names = Object.keys(columns) as (keyof typeof columns)[];
  const given = rowList(tx, columns, rows).as('given');
  await tx
    .insertInto('webhook_deliveries')
    .columns(names)
    // SQLite takes `on conflict` after a `select` only if that has a condition (sqlite.org/lang_upsert.html, Parsing Ambiguity).
    .expression(tx.selectFrom(given).select(names).where('created_at', '>=', 0))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}
