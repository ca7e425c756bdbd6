import type { DeliveryState, Webhook } from '../../api/webhooks.ts';
import { Badge, type BadgeColor } from '../../components/badge.tsx';

export function WebhookStatus({ status }: Pick<Webhook, 'status'>) {
  return status === 'active' ? <Badge color="good">Active</Badge> : <Badge color="gray">Paused</Badge>;
}

const looks: Record<DeliveryState, readonly [color: BadgeColor, word: string]> = {
  pending: ['warn', 'Waiting'],
  delivered: ['good', 'Delivered'],
  failed: ['bad', 'Failed'],
};

export function DeliveryBadge({ state }: { state: DeliveryState }) {
  const [color, word] = looks[state];
  return <Badge color={color}>{word}</Badge>;
}

export function wordOfState(state: DeliveryState): string {
  return looks[state][1];
}
