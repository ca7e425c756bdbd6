import { createHash } from 'node:crypto';
import { readNames, toAuditRecord } from '@latchkey/shared/audit';
import type { ApiKeyRow } from '../api-key.ts';
import { toApiKey } from '../api-key.ts';
import type { AuditRow } from '../audit-store.ts';

/** The events that a webhook can subscribe to. */
export const webhookEvents = [
  'lease.revoked',
  'lease.limit-reached',
  'api-key.expiring',
  'alert.started',
  'alert.ended',
] as const;
export type WebhookEventType = (typeof webhookEvents)[number];

/** The type of a message that an admin sends to try a webhook. Every webhook gets its own test messages. */
export const testEvent = 'webhook.test';

/** Something that happened, before it is known who wants it. */
export interface WebhookEvent {
  /** The same for the same event, whichever process finds it and however often. */
  key: string;
  type: WebhookEventType | typeof testEvent;
  /** When it happened, milliseconds since 1970. */
  at: number;
  data: Record<string, unknown>;
}

/** The body of a message, in the form of Standard Webhooks. */
export function toPayload({ type, at, data }: WebhookEvent): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

/** 144 bits: no two messages ever have the same. */
const idLength = 24;

/**
 * The id of a message. It is computed and not drawn, so that an event that is found twice, by two processes or again after a power cut,
 * has the same id. Receivers then notice the second one.
 */
export function toMessageId(webhookId: string, eventKey: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([webhookId, eventKey]))
    .digest('base64url');
  return `msg_${hash.slice(0, idLength)}`;
}

/** A block also revokes the leases of its viewer. */
const isRevocation = ({ action, outcome }: AuditRow) =>
  (action === 'lease.revoke' || action === 'viewer.block') && outcome === 'done';
const isLimit = ({ outcome, code }: AuditRow) => outcome === 'refused' && code === 'LEASE_LIMIT_REACHED';

/** Whether a row of the audit is an event. */
export const isEvent = (row: AuditRow): boolean => isRevocation(row) || isLimit(row);

/**
 * The event of a row of the audit that is one. Its key names more than the number: after a restore another row may have the same.
 */
export function eventOfRow(row: AuditRow): WebhookEvent {
  const { id, actor, requestId, affected, count, details } = toAuditRecord(row);
  const { leaseId, viewerId, contentId } = readNames(row);
  const common = { auditId: id, actor, requestId };
  const key = `audit ${id} ${row.at} ${requestId}`;
  if (isRevocation(row)) {
    const data = { leaseId, viewerId, contentId, affected, reason: details?.reason ?? null, ...common };
    return { key, type: 'lease.revoked', at: row.at, data };
  }
  const viewer = viewerId ?? (actor.kind === 'viewer' ? actor.id : null);
  return {
    key,
    type: 'lease.limit-reached',
    at: row.at,
    data: { viewerId: viewer, contentId, count, ...common },
  };
}

/** @param now when it was found, milliseconds since 1970 */
export function eventOfExpiringKey(row: ApiKeyRow, now: number): WebhookEvent {
  const { id, name, keyPrefix, scope, expiresAt, lastUsedAt } = toApiKey(row);
  return {
    key: `api-key.expiring ${id} ${row.expires_at}`,
    type: 'api-key.expiring',
    at: now,
    data: { apiKey: { id, name, keyPrefix, scope, expiresAt, lastUsedAt } },
  };
}
