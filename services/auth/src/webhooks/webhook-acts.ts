import type { AuditDetails } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import { type AuditFacts, readName } from '@latchkey/shared/http';
import { type Once, writeOnce } from '@latchkey/shared/idempotency';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import type { LedgerEntry } from '../own-tables.ts';
import { enqueueEvents } from './enqueue-events.ts';
import { beginInactiveSpan, endInactiveSpan } from './inactive-spans.ts';
import { createWebhookSecret } from './sign-message.ts';
import {
  type DeliveryRow,
  deliveryNotFound,
  mostWebhooks,
  previousSecretMs,
  readWebhookUrl,
  type WebhookRow,
  webhookNotFound,
  webhooksOff,
} from './webhook.ts';
import { testEvent, toMessageId, type WebhookEventType } from './webhook-events.ts';
import {
  beginAtEndOfAudit,
  deleteWebhook,
  findDelivery,
  findWebhook,
  hasRoomForWebhook,
  insertWebhook,
  lockWebhooks,
  readLastBefore,
  updateWebhook,
} from './webhook-store.ts';

type Acts = Pick<AuthRouteOptions, 'ledger' | 'randomId' | 'randomBytes' | 'webhookOrigins'>;

type Changes = NonNullable<AuditDetails['changes']>;

/**
 * Adds a webhook, which gets what happens from now on.
 *
 * @throws AppError VALIDATION_FAILED, WEBHOOKS_OFF, WEBHOOK_LIMIT_REACHED
 */
export async function createWebhook(
  { ledger, randomId, randomBytes, webhookOrigins }: Acts,
  wanted: { name: string; url: string; events: readonly WebhookEventType[] },
  facts: AuditFacts,
  once?: Once<WebhookRow>,
): Promise<WebhookRow> {
  const url = readWebhookUrl(wanted.url, webhookOrigins);
  const name = readName(wanted.name);
  return writeOnce(ledger, once, async (entry) => {
    await lockWebhooks(entry.tx);
    if (!(await hasRoomForWebhook(entry.tx)))
      throw new AppError('WEBHOOK_LIMIT_REACHED', { detail: `There are ${mostWebhooks} webhooks already.` });
    await beginAtEndOfAudit(entry.tx, entry.now);
    const row: WebhookRow = {
      id: randomId(),
      name,
      url,
      secret: createWebhookSecret(randomBytes),
      previous_secret: null,
      previous_until: null,
      events: JSON.stringify(wanted.events),
      status: 'active',
      paused_by: null,
      expiring_to: 0,
      dropped: 0,
      deaf: '[]',
      created_at: entry.now,
      updated_at: entry.now,
    };
    const number = await audit(entry, 'webhook.create', row.id, facts, compare(null, row));
    row.deaf = endInactiveSpan(row.deaf, await readLastBefore(entry.tx, number, entry.now));
    await insertWebhook(entry.tx, row);
    return row;
  });
}

export interface WebhookChanges {
  name?: string;
  url?: string;
  events?: readonly WebhookEventType[];
  status?: 'active' | 'paused';
}

/** @throws AppError WEBHOOK_NOT_FOUND, VALIDATION_FAILED, WEBHOOKS_OFF */
export async function changeWebhook(
  { ledger, webhookOrigins }: Acts,
  id: string,
  wanted: WebhookChanges,
  facts: AuditFacts,
): Promise<WebhookRow> {
  const { name, url, events, status } = wanted;
  const changes: Partial<WebhookRow> = {
    ...(name !== undefined && { name: readName(name) }),
    ...(url !== undefined && { url: readWebhookUrl(url, webhookOrigins) }),
    ...(events !== undefined && { events: JSON.stringify(events) }),
  };
  return ledger.write(async (entry) => {
    const before = await findLocked(entry, id);
    const ofStatus = status === undefined || status === before.status ? {} : statusColumns(status);
    if (ofStatus.status === 'active') await beginAtEndOfAudit(entry.tx, entry.now);
    const after = { ...before, ...changes, ...ofStatus, updated_at: entry.now };
    const number = await audit(entry, 'webhook.update', id, facts, compare(before, after));
    if (ofStatus.status === 'active')
      after.deaf = endInactiveSpan(before.deaf, await readLastBefore(entry.tx, number, entry.now));
    if (ofStatus.status === 'paused') after.deaf = beginInactiveSpan(before.deaf, number);
    await updateWebhook(entry.tx, id, after);
    return after;
  });
}

function statusColumns(status: 'active' | 'paused'): Partial<WebhookRow> {
  return { status, paused_by: status === 'paused' ? 'admin' : null };
}

/** @throws AppError WEBHOOK_NOT_FOUND */
export async function removeWebhook({ ledger }: Acts, id: string, facts: AuditFacts): Promise<void> {
  await ledger.write(async (entry) => {
    const row = await findLocked(entry, id);
    await deleteWebhook(entry.tx, id);
    await audit(entry, 'webhook.delete', id, facts, { name: { before: row.name, after: null } });
  });
}

/** Makes a new secret. The one before signs too for a day. @throws AppError WEBHOOK_NOT_FOUND */
export async function rotateWebhookSecret(
  { ledger, randomBytes }: Acts,
  id: string,
  facts: AuditFacts,
): Promise<WebhookRow> {
  return ledger.write(async (entry) => {
    const before = await findLocked(entry, id);
    const after = {
      ...before,
      secret: createWebhookSecret(randomBytes),
      previous_secret: before.secret,
      previous_until: entry.now + previousSecretMs,
      updated_at: entry.now,
    };
    await updateWebhook(entry.tx, id, after);
    await audit(entry, 'webhook.rotate-secret', id, facts);
    return after;
  });
}

/** Enqueues a test message. @throws AppError WEBHOOK_NOT_FOUND, WEBHOOKS_OFF */
export async function testWebhook(
  { ledger, randomId, webhookOrigins }: Acts,
  id: string,
  facts: AuditFacts,
): Promise<DeliveryRow> {
  if (webhookOrigins.length === 0) throw webhooksOff();
  return ledger.write(async (entry) => {
    const webhook = await findLocked(entry, id);
    const key = `test ${randomId()}`;
    const data = { webhook: { id, name: webhook.name } };
    await enqueueEvents(entry.tx, [webhook], [{ key, type: testEvent, at: entry.now, data }], entry.now);
    const row = await findDelivery(entry.tx, id, toMessageId(id, key));
    // More messages wait than may.
    if (!row)
      throw new AppError('DEPENDENCY_UNAVAILABLE', { detail: 'Too many messages wait for this webhook.' });
    await audit(entry, 'webhook.test', id, facts);
    return row;
  });
}

/**
 * Sends a delivery again, whatever became of it, with the same id and the same body.
 *
 * @throws AppError WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND, WEBHOOKS_OFF
 */
export async function replayDelivery(
  { ledger, webhookOrigins }: Acts,
  { id, deliveryId }: { id: string; deliveryId: string },
  facts: AuditFacts,
): Promise<DeliveryRow> {
  if (webhookOrigins.length === 0) throw webhooksOff();
  return ledger.write(async (entry) => {
    await findLocked(entry, id);
    const row = await findDelivery(entry.tx, id, deliveryId);
    if (!row) throw deliveryNotFound();
    const fresh = { state: 'pending', tries: 0, next_try_at: entry.now, changed_at: entry.now };
    await entry.tx.updateTable('webhook_deliveries').set(fresh).where('id', '=', deliveryId).execute();
    await audit(entry, 'webhook.replay', id, facts, { deliveryId: { before: null, after: deliveryId } });
    return { ...row, ...fresh };
  });
}

async function findLocked({ tx }: LedgerEntry, id: string): Promise<WebhookRow> {
  await lockWebhooks(tx);
  const row = await findWebhook(tx, id);
  if (!row) throw webhookNotFound();
  return row;
}

type WebhookAction =
  | 'webhook.create'
  | 'webhook.update'
  | 'webhook.delete'
  | 'webhook.rotate-secret'
  | 'webhook.test'
  | 'webhook.replay';

/** @returns the number of the row in the audit */
function audit(
  entry: LedgerEntry,
  action: WebhookAction,
  target: string,
  facts: AuditFacts,
  changes: Changes = {},
): Promise<number> {
  return entry.audit({ ...facts, action, target, outcome: 'done', code: null, details: { changes } });
}

/** The changes that the audit shows. It shows only the origin of a URL: the path is a secret of some receivers. */
function compare(before: WebhookRow | null, after: WebhookRow): Changes {
  const shown = (row: WebhookRow | null) => ({
    name: row?.name ?? null,
    origin: row && new URL(row.url).origin,
    events: row && JSON.parse(row.events),
    status: row?.status ?? null,
  });
  const [was, is] = [shown(before), shown(after)];
  const names = Object.keys(is) as (keyof typeof is)[];
  return Object.fromEntries(names.map((name) => [name, { before: was[name], after: is[name] }]));
}
