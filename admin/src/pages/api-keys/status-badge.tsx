import { Badge, type BadgeKind } from '../../components/badge.tsx';
import type { ShownStatus } from './api-key-status.ts';

const looks: Record<ShownStatus, [BadgeKind, string]> = {
  active: ['good', 'Active'],
  expiring: ['warning', 'Expires soon'],
  expired: ['plain', 'Expired'],
  revoked: ['bad', 'Revoked'],
};

export function StatusBadge({ status }: { status: ShownStatus }) {
  const [kind, word] = looks[status];
  return <Badge kind={kind}>{word}</Badge>;
}
