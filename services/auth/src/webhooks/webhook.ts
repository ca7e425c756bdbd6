import { isUuid } from '@latchkey/shared/contracts';
import type { WebhookDeliveryTable, WebhookTable } from '@latchkey/shared/db';
import { AppError } from '@latchkey/shared/errors';
import { instantOf, validationFailure } from '@latchkey/shared/http';
import type { Selectable } from 'kysely';

/** A stored webhook. Times are milliseconds since 1970. */
export type WebhookRow = Selectable<WebhookTable>;
export type DeliveryRow = Selectable<WebhookDeliveryTable>;

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** `docs/reference/webhooks.md`: each of them may get every event, so their number bounds what one event costs. */
export const mostWebhooks = 20;
/** How long the secret before a rotation also signs: a day, so that a receiver is changed in working hours. */
export const previousSecretMs = 86_400_000;

/** A webhook as the API shows it: never its secret. */
export function toWebhook(row: WebhookRow, pending: number) {
  const { id, name, url, status, dropped } = row;
  return {
    id,
    name,
    url,
    events: JSON.parse(row.events) as string[],
    status: status as 'active' | 'paused',
    pausedBy: row.paused_by as 'admin' | 'receiver' | null,
    previousSecretUntil: instantOf(row.previous_until),
    pending,
    dropped: Number(dropped),
    createdAt: instantOf(row.created_at),
    updatedAt: instantOf(row.updated_at),
  };
}

/** A delivery as the API shows it. */
export function toDelivery(row: DeliveryRow) {
  const { id, type, payload, tries } = row;
  const state = row.state as DeliveryState;
  return {
    id,
    type,
    state,
    tries,
    createdAt: instantOf(row.created_at),
    lastTryAt: instantOf(row.last_try_at),
    nextTryAt: state === 'pending' ? instantOf(row.next_try_at) : null,
    endedAt: state === 'pending' ? null : instantOf(row.changed_at),
    lastStatus: row.last_status,
    lastError: row.last_error,
    payload: JSON.parse(payload) as Record<string, unknown>,
  };
}

/** Whether a URL may get events: of a listed origin, and without a login in it, which would be sent to logs of proxies. */
export function mayPost(url: URL, origins: readonly string[]): boolean {
  return origins.includes(url.origin) && !url.username && !url.password;
}

/** Longer than any URL that receivers give out. */
const maxUrlLength = 2_000;

/**
 * @param origins `WEBHOOK_ORIGINS`
 * @returns the same text
 * @throws AppError VALIDATION_FAILED; WEBHOOKS_OFF without any origin
 */
export function readWebhookUrl(text: string, origins: readonly string[]): string {
  if (origins.length === 0) throw webhooksOff();
  const url = /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && text.isWellFormed() ? URL.parse(text) : null;
  if (!url || text.length > maxUrlLength)
    throw validationFailure(
      '/url',
      `must be a URL that starts with https:// or http://, of at most ${maxUrlLength} characters`,
    );
  if (url.username || url.password) throw validationFailure('/url', 'must not have a user name or password');
  if (text.includes('#')) throw validationFailure('/url', 'must not have a fragment (#)');
  if (!mayPost(url, origins))
    throw validationFailure('/url', `has the origin ${url.origin}, which WEBHOOK_ORIGINS does not list`);
  return text;
}

/** The server sends no events. The answer to a request that adds a webhook explains how to change that. */
export function webhooksOff(): AppError {
  return new AppError('WEBHOOKS_OFF', {
    detail:
      'The server sends no events. Set WEBHOOK_ORIGINS to the origins of your receivers, and restart it.',
  });
}

/** @throws AppError WEBHOOK_NOT_FOUND for a text that is not a UUID, without a query */
export function readWebhookId(text: string): string {
  const id = text.toLowerCase();
  if (!isUuid(id)) throw webhookNotFound();
  return id;
}

export function webhookNotFound(): AppError {
  return new AppError('WEBHOOK_NOT_FOUND', { detail: 'No webhook has this id.' });
}

export function deliveryNotFound(): AppError {
  return new AppError('DELIVERY_NOT_FOUND', { detail: 'This webhook has no delivery with this id.' });
}
