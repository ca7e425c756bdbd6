import type { Webhook, WebhookDelivery } from '../../api/schema.ts';
import { Badge, type BadgeColor } from '../../components/badge.tsx';

export function WebhookStatus({ status }: Pick<Webhook, 'status'>) {
  return status === 'active' ? <Badge color="good">Active</Badge> : <Badge color="gray">Paused</Badge>;
}

const looks: Record<WebhookDelivery['state'], readonly [color: BadgeColor, word: string]> = {
  pending: ['warn', 'Waiting'],
  delivered: ['good', 'Delivered'],
  failed: ['bad', 'Failed'],
};

export function DeliveryBadge({ state }: Pick<WebhookDelivery, 'state'>) {
  const [color, word] = looks[state];
  return <Badge color={color}>{word}</Badge>;
}

export function wordOfState(state: WebhookDelivery['state']): string {
  return looks[state][1];
}
