import type { Webhook, WebhookDelivery } from '../../api/schema.ts';

const eventWords: Record<string, readonly [name: string, when: string]> = {
  'lease.revoked': ['Leases revoked', 'An admin or an application has revoked leases.'],
  'lease.limit-reached': ['Limit reached', 'A viewer was refused a lease because it has as many as it may.'],
  'api-key.expiring': ['API key expires soon', 'Once, seven days before an active key expires.'],
  'alert.started': ['Alert started', 'The Overview begins to show a concern.'],
  'alert.ended': ['Alert ended', 'The Overview no longer shows a concern.'],
  'webhook.test': ['Test', 'Sent by an admin.'],
};

/** An event of a newer server is shown as it is. */
export function nameOfEvent(type: string): string {
  return eventWords[type]?.[0] ?? type;
}

export function describeEvent(type: string): string {
  return eventWords[type]?.[1] ?? '';
}

export function addressOfWebhook({ id }: Pick<Webhook, 'id'>): string {
  return `/webhooks?${new URLSearchParams({ webhook: id })}`;
}

/** The result of the last try of a delivery; null before the first try. */
export function describeLastTry({ lastError, lastStatus }: WebhookDelivery): string | null {
  if (lastError !== null) return lastError;
  return lastStatus === null ? null : `the receiver answered ${lastStatus}`;
}

/**
 * The result of a test, in a sentence.
 *
 * @param isUnread whether what came of it since cannot be read
 */
export function describeTest(
  delivery: WebhookDelivery,
  isUnread = false,
): { kind: 'good' | 'warning' | 'info'; text: string } {
  const last = describeLastTry(delivery);
  if (delivery.state === 'delivered') return { kind: 'good', text: `Delivered: ${last}.` };
  if (delivery.state === 'failed') return { kind: 'warning', text: `Not delivered: ${last}.` };
  if (isUnread)
    return { kind: 'warning', text: 'The test was sent, but what came of it cannot be read now.' };
  if (last === null) return { kind: 'info', text: 'Sending the test…' };
  return { kind: 'warning', text: `Not delivered yet: ${last}. It is tried again.` };
}
