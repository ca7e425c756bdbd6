import type { Api } from './api.ts';

/** The events that a webhook can ask for, as the server names them. */
export const webhookEvents = [
  'lease.revoked',
  'lease.limit-reached',
  'api-key.expiring',
  'alert.started',
  'alert.ended',
] as const;

export interface Webhook {
  id: string;
  name: string;
  url: string;
  events: string[];
  status: 'active' | 'paused';
  /** `receiver` if it answered 410. */
  pausedBy: 'admin' | 'receiver' | null;
  previousSecretUntil: string | null;
  /** Deliveries that wait. */
  pending: number;
  /** Events that were dropped because too many waited. */
  dropped: number;
  createdAt: string;
  updatedAt: string;
}

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface Delivery {
  id: string;
  type: string;
  state: DeliveryState;
  tries: number;
  createdAt: string;
  lastTryAt: string | null;
  nextTryAt: string | null;
  endedAt: string | null;
  lastStatus: number | null;
  lastError: string | null;
  payload: Record<string, unknown>;
}

export interface WebhookList {
  webhooks: Webhook[];
  /** Of receivers. None: no webhook can be added. */
  origins: string[];
}

export interface DeliveryPage {
  deliveries: Delivery[];
  next_cursor: string | null;
}

/** A webhook with its secret, which the server never returns again. */
export interface IssuedWebhook {
  webhook: Webhook;
  secret: string;
}

const path = '/api/v1/webhooks';

export function listWebhooks(api: Api, signal?: AbortSignal): Promise<WebhookList> {
  return api.request('GET', path, { signal });
}

export function readWebhook(api: Api, id: string, signal?: AbortSignal): Promise<Webhook> {
  return api.request('GET', `${path}/${encodeURIComponent(id)}`, { signal });
}

export interface WebhookFields {
  name: string;
  url: string;
  events: string[];
}

export function createWebhook(api: Api, body: WebhookFields): Promise<IssuedWebhook> {
  return api.request('POST', path, { body });
}

export function changeWebhook(
  api: Api,
  id: string,
  body: Partial<WebhookFields & Pick<Webhook, 'status'>>,
): Promise<Webhook> {
  return api.request('PATCH', `${path}/${id}`, { body });
}

export function deleteWebhook(api: Api, id: string): Promise<void> {
  return api.request('DELETE', `${path}/${id}`);
}

/** The old secret signs too for a day. */
export function rotateSecret(api: Api, id: string): Promise<IssuedWebhook> {
  return api.request('POST', `${path}/${id}/rotate-secret`, { body: {} });
}

/** Sends a message that only says that it is a test. */
export async function testWebhook(api: Api, id: string): Promise<Delivery> {
  const answer = await api.request<{ delivery: Delivery }>('POST', `${path}/${id}/test`, { body: {} });
  return answer.delivery;
}

/** Newest first. */
export function listDeliveries(
  api: Api,
  id: string,
  query: { state?: DeliveryState | undefined; limit: number; cursor?: string | undefined },
  signal?: AbortSignal,
): Promise<DeliveryPage> {
  return api.request('GET', `${path}/${encodeURIComponent(id)}/deliveries`, { query: { ...query }, signal });
}

/** Sends a delivery again, with the same id and body. */
export async function replayDelivery(api: Api, id: string, deliveryId: string): Promise<Delivery> {
  const at = `${path}/${id}/deliveries/${deliveryId}/replay`;
  return (await api.request<{ delivery: Delivery }>('POST', at, { body: {} })).delivery;
}
