import type { Lease } from '../../api/resources.ts';
import { formatExact } from '../../components/format-time.ts';
import { useLeaseState } from './lease-status.tsx';
import styles from './leases.module.css';

/** One lease in a line: whose, for what, on which device, and until when. */
export function LeaseLine({ lease }: { lease: Lease }) {
  const { viewerId, contentId, deviceId, expiresAt } = lease;
  const isActive = useLeaseState(lease) === 'active';
  return (
    <p className={styles.line}>
      <strong>
        <bdi>{viewerId}</bdi> · <bdi>{contentId}</bdi>
        {deviceId !== null && (
          <>
            {' · '}
            <bdi>{deviceId}</bdi>
          </>
        )}
      </strong>
      <span>
        {isActive ? 'Active until' : 'Expired'} {formatExact(new Date(expiresAt))}
      </span>
    </p>
  );
}
