import type { Lease, LeaseStatus } from '../../api/resources.ts';
import { Badge, type BadgeKind } from '../../components/badge.tsx';
import { Countdown, RelativeTime } from '../../components/times.tsx';
import { useEachSecond } from '../../state/time.ts';

const looks: Record<LeaseStatus, [BadgeKind, string]> = {
  active: ['good', 'Active'],
  expired: ['plain', 'Expired'],
  revoked: ['bad', 'Revoked'],
};

/** What the lease is now: it expires while one looks at it. */
export function useLeaseStatus({ revokedAt, expiresAt }: Lease): LeaseStatus {
  const expiry = Date.parse(expiresAt);
  return useEachSecond((now) => {
    if (revokedAt !== null) return 'revoked';
    return expiry > now ? 'active' : 'expired';
  });
}

export function LeaseStateBadge({ lease }: { lease: Lease }) {
  const [kind, word] = looks[useLeaseStatus(lease)];
  return <Badge kind={kind}>{word}</Badge>;
}

/** How long it lives on, or since when it does not. */
export function LeaseEnd({ lease, isFocusable = false }: { lease: Lease; isFocusable?: boolean }) {
  const state = useLeaseStatus(lease);
  if (state === 'active') return <Countdown at={lease.expiresAt} isFocusable={isFocusable} />;
  return <RelativeTime at={lease.revokedAt ?? lease.expiresAt} isFocusable={isFocusable} />;
}
