import type { Lease } from '../../api/schema.ts';
import { StatusBadge } from '../../components/badge.tsx';
import { Countdown, RelativeTime } from '../../components/times.tsx';
import { useEachSecond } from '../../state/time.ts';

/** The current state: a lease can expire while it is shown. */
export function useLeaseStatus({ revokedAt, expiresAt }: Lease): Lease['state'] {
  const expiry = Date.parse(expiresAt);
  return useEachSecond((now) => {
    if (revokedAt !== null) return 'revoked';
    return expiry > now ? 'active' : 'expired';
  });
}

export function LeaseStateBadge({ lease }: { lease: Lease }) {
  return <StatusBadge status={useLeaseStatus(lease)} />;
}

/** The time left, or the time since the end. */
export function LeaseEnd({ lease, isFocusable = false }: { lease: Lease; isFocusable?: boolean }) {
  const state = useLeaseStatus(lease);
  if (state === 'active') return <Countdown at={lease.expiresAt} isFocusable={isFocusable} />;
  return <RelativeTime at={lease.revokedAt ?? lease.expiresAt} isFocusable={isFocusable} />;
}
