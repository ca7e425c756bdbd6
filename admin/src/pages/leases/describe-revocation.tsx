import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Lease } from '../../api/schema.ts';
import { formatExact } from '../../components/format-time.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { useLeaseStatus } from './lease-status.tsx';
import styles from './leases.module.css';

/** The leases that a revocation ends: one lease, or all leases of a viewer, of a content or of the pair. */
export type RevocationTarget =
  | { leaseId: string }
  | { viewerId: string; contentId?: string }
  | { contentId: string };

/** The limit of the server. */
const maxReasonLength = 500;

interface ReasonFieldProps {
  value: string;
  onChange: (reason: string) => void;
  isOfBlock?: boolean;
}

/** Why access is taken away. */
export function ReasonField({ value, onChange, isOfBlock = false }: ReasonFieldProps) {
  return (
    <TextInput
      label="Reason"
      description={`Stored with ${isOfBlock ? 'the block and with ' : ''}each lease. Optional.`}
      maxLength={maxReasonLength}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-autofocus
    />
  );
}

/** @param reason any text; only spaces mean none */
export function withReason<Body extends object>(body: Body, reason: string): Body & { reason?: string } {
  return reason.trim() === '' ? body : { ...body, reason: reason.trim() };
}

/** The leases that the dialog revokes: one lease, which it shows in full, or all leases of a viewer, of a content or of the pair. */
export type RevocationSubject = { lease: Lease } | Exclude<RevocationTarget, { leaseId: string }>;

/** Opens the dialog that revokes. */
export type OpenRevocation = (subject: RevocationSubject) => void;

/** The target in the request to the server. */
export function targetOf(subject: RevocationSubject): RevocationTarget {
  return 'lease' in subject ? { leaseId: subject.lease.id } : subject;
}

interface RevocationWords {
  title: string;
  /** Describes the consequences. */
  words: ReactNode;
  /** Label of the button. */
  action: string;
}

/** A player keeps the keys that it holds (`docs/reference/contract.md#revocation`). Stated each time, so that nobody relies on more. */
const limit =
  'From the answer on, no server serves a key. A player can use a key that it already holds until its epoch ends.';

/** Describes a revocation in words. */
export function describeRevocation(target: RevocationSubject): RevocationWords {
  if ('lease' in target)
    return {
      title: 'Revoke this lease',
      action: 'Revoke the lease',
      words: (
        <>
          <LeaseLine lease={target.lease} />
          <p>
            It ends permanently. {limit} Its viewer can get another lease for this content only with a token
            that is issued from now on.
          </p>
        </>
      ),
    };
  const viewer = 'viewerId' in target && <OutsideText text={target.viewerId} />;
  const content = target.contentId !== undefined && <OutsideText text={target.contentId} />;
  return {
    title:
      viewer && content
        ? 'Revoke a viewer on a content'
        : `Revoke every lease of a ${viewer ? 'viewer' : 'content'}`,
    action: 'Revoke the leases',
    words: (
      <p>
        This ends every lease
        {viewer && <> of viewer {viewer}</>}
        {content ? <> for content {content}</> : ', for all content'}
        {!viewer && ', of all viewers'}. {limit} Tokens issued until now are refused as well. Tokens issued
        from now on work.
      </p>
    ),
  };
}

/** One lease in a line: viewer, content, device and end. */
function LeaseLine({ lease }: { lease: Lease }) {
  const { viewerId, contentId, deviceId, expiresAt } = lease;
  const isActive = useLeaseStatus(lease) === 'active';
  return (
    <p className={styles.line}>
      <strong>
        <OutsideText text={viewerId} /> · <OutsideText text={contentId} />
        {deviceId !== null && (
          <>
            {' · '}
            <OutsideText text={deviceId} />
          </>
        )}
      </strong>
      <span className="quiet">
        {isActive ? 'Active until' : 'Expired'} {formatExact(expiresAt)}
      </span>
    </p>
  );
}
