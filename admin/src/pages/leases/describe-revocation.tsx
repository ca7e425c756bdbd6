import type { ReactNode } from 'react';
import type { RevocationTarget } from '../../api/leases.ts';
import type { Lease } from '../../api/resources.ts';
import { formatExact } from '../../components/format-time.ts';
import { useLeaseStatus } from './lease-status.tsx';
import styles from './leases.module.css';

/** What the dialog ends: one lease, which it names in full, or every one of a viewer, of a content or of the pair. */
export type Revoking = { lease: Lease } | Exclude<RevocationTarget, { leaseId: string }>;

/** Opens the dialog that revokes. */
export type BeginRevoking = (revoking: Revoking) => void;

/** What to ask of the server. */
export function targetOf(revoking: Revoking): RevocationTarget {
  return 'lease' in revoking ? { leaseId: revoking.lease.id } : revoking;
}

interface RevocationWords {
  title: string;
  /** What will happen. */
  words: ReactNode;
  /** Of the button. */
  action: string;
}

/** What a player holds it keeps (`docs/contract.md#revocation`): said each time, so that nobody relies on more. */
const limit =
  'From the answer on, no key is given: at once here, within a second everywhere. A key that a player already holds plays on until its epoch ends.';

/** What a revocation does, in words. */
export function describeRevocation(target: Revoking): RevocationWords {
  if ('lease' in target)
    return {
      title: 'Revoke this lease',
      action: 'Revoke the lease',
      words: (
        <>
          <LeaseLine lease={target.lease} />
          <p>
            It ends for good. {limit} Its viewer gets another lease for this content only with a token that is
            issued from now on.
          </p>
        </>
      ),
    };
  const viewer = 'viewerId' in target && <bdi className={styles.chooser}>{target.viewerId}</bdi>;
  const content = target.contentId !== undefined && <bdi className={styles.chooser}>{target.contentId}</bdi>;
  const [title, who] =
    viewer && content
      ? ([
          'Revoke a viewer on a content',
          <>
            every lease of viewer {viewer} for content {content}
          </>,
        ] as const)
      : viewer
        ? (['Revoke every lease of a viewer', <>every lease of viewer {viewer}, for all content</>] as const)
        : ([
            'Revoke every lease of a content',
            <>every lease for content {content}, of all viewers</>,
          ] as const);
  return {
    title,
    action: 'Revoke the leases',
    words: (
      <p>
        This ends {who}. {limit} Tokens issued until now are refused as well; those issued from now on work.
      </p>
    ),
  };
}

/** One lease in a line: whose, for what, on which device, and until when. */
function LeaseLine({ lease }: { lease: Lease }) {
  const { viewerId, contentId, deviceId, expiresAt } = lease;
  const isActive = useLeaseStatus(lease) === 'active';
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
