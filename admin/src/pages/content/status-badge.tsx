import type { ContentStatus } from '../../api/resources.ts';
import { Badge } from '../../components/badge.tsx';

export function StatusBadge({ status }: { status: ContentStatus }) {
  return status === 'active' ? <Badge kind="good">Active</Badge> : <Badge kind="warning">Disabled</Badge>;
}
