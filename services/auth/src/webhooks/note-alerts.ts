import type { Alert } from '@latchkey/shared/contracts';
import { inTransaction } from '@latchkey/shared/db';
import { instantOf } from '@latchkey/shared/http';
import type { Database, Transaction } from '../own-tables.ts';
import { type DroppedEvents, enqueueEvents } from './enqueue-events.ts';
import type { WebhookEvent, WebhookEventType } from './webhook-events.ts';
import { lockWebhooks } from './webhook-store.ts';

/**
 * Four reports: a gateway that restarts, or one figure that falls below its limit for a moment, does not end an alert. Several gateways
 * report the same problem, and it ends when none does.
 */
const endsAfterMs = 120_000;

/**
 * Takes a report of all problems that a gateway knows. A problem that is new is an `alert.started`, and one that nobody has reported for two
 * minutes an `alert.ended`. The rows make that one event each, however many gateways report and however often they restart. Alerts end only
 * within reports: while nobody reports, nothing is known.
 *
 * @param now milliseconds since 1970
 */
export async function noteAlerts(
  db: Database,
  reported: readonly Alert[],
  now: number,
  onDropped: (dropped: DroppedEvents) => void,
): Promise<void> {
  const alerts = [...new Map(reported.map((alert) => [alert.id, alert])).values()];
  const dropped = await inTransaction(db, async (tx) => {
    await lockWebhooks(tx);
    const active = await tx.selectFrom('webhooks').selectAll().where('status', '=', 'active').execute();
    const webhooks = active.filter(({ events }) => /"alert\.(started|ended)"/.test(events));
    if (webhooks.length === 0) {
      // Nobody wants to know. The first webhook that does gets what is under way then, and no end of what it never got.
      await tx.deleteFrom('alerts').execute();
      return [];
    }
    const events = [...(await startNew(tx, alerts, now)), ...(await endOld(tx, now))];
    return enqueueEvents(tx, webhooks, events, now);
  });
  for (const one of dropped) onDropped(one);
}

async function startNew(tx: Transaction, alerts: readonly Alert[], now: number): Promise<WebhookEvent[]> {
  const known = new Set((await tx.selectFrom('alerts').select('id').execute()).map(({ id }) => id));
  const events: WebhookEvent[] = [];
  for (const { id, severity, title, advice } of alerts) {
    const words = { severity, title, advice };
    if (known.has(id)) {
      await tx
        .updateTable('alerts')
        .set({ ...words, seen_at: now })
        .where('id', '=', id)
        .execute();
      continue;
    }
    await tx
      .insertInto('alerts')
      .values({ id, ...words, started_at: now, seen_at: now })
      .execute();
    events.push(eventOf('alert.started', { id, ...words, started_at: now }, now));
  }
  return events;
}

async function endOld(tx: Transaction, now: number): Promise<WebhookEvent[]> {
  const before = now - endsAfterMs;
  const ended = await tx.selectFrom('alerts').selectAll().where('seen_at', '<=', before).execute();
  await tx.deleteFrom('alerts').where('seen_at', '<=', before).execute();
  return ended.map((alert) => eventOf('alert.ended', alert, now));
}

interface KnownAlert {
  id: string;
  severity: string;
  title: string;
  advice: string;
  started_at: number;
}

function eventOf(
  type: WebhookEventType,
  { started_at: startedAt, ...words }: KnownAlert,
  at: number,
): WebhookEvent {
  const { id, severity, title, advice } = words;
  return {
    key: `${type} ${id} ${startedAt}`,
    type,
    at,
    data: { alert: { id, severity, title, advice, startedAt: instantOf(Number(startedAt)) } },
  };
}
