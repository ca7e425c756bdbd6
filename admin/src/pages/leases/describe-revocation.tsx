import { TextInput } from '@mantine/core';
import type { Lease } from '../../api/schema.ts';
import { formatExact } from '../../components/format-time.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { phrase } from '../../components/phrase.ts';
import type { ServerForm } from '../../components/use-server-form.tsx';
import { useLeaseStatus } from './lease-status.tsx';
import styles from './leases.module.css';

/** The leases that a revocation ends: one lease, or all leases of a viewer, of a content or of the pair. */
export type RevocationSubject =
  | { lease: Lease }
  | { viewerId: string; contentId?: string }
  | { contentId: string };

/** Opens the dialog that revokes. */
export type OpenRevocation = (subject: RevocationSubject) => void;

/** The limit of the server. */
const maxReasonLength = 500;

interface ReasonFieldProps {
  form: Pick<ServerForm<{ reason: string }>, 'getInputProps'>;
  isOfBlock?: boolean;
}

/** Why access is taken away. */
export function ReasonField({ form, isOfBlock = false }: ReasonFieldProps) {
  return (
    <TextInput
      {...form.getInputProps('reason')}
      label="Reason"
      description={`Stored with ${isOfBlock ? 'the block and with ' : ''}each lease. Optional.`}
      maxLength={maxReasonLength}
      data-autofocus
    />
  );
}

/** @param reason any text; only spaces mean none */
export function withReason<Body extends object>(body: Body, reason: string): Body & { reason?: string } {
  return reason.trim() === '' ? body : { ...body, reason: reason.trim() };
}

/** The request to the server. */
export function toRequest(subject: RevocationSubject, reason: string) {
  return withReason('lease' in subject ? { leaseId: subject.lease.id } : subject, reason);
}

/** A player keeps the keys that it holds (`docs/reference/contract.md#revocation`). Stated each time, so that nobody relies on more. */
const limit =
  'From the answer on, no server serves a key. A player can use a key that it already holds until its epoch ends.';

/** A revocation in words: the title and the button of its dialog, and the consequences. */
export function describeRevocation(target: RevocationSubject) {
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
        {viewer && phrase` of viewer ${viewer}`}
        {content ? phrase` for content ${content}` : ', for all content'}
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
        {deviceId !== null && phrase` · ${<OutsideText text={deviceId} />}`}
      </strong>
      <span className="quiet">
        {isActive ? 'Active until' : 'Expired'} {formatExact(expiresAt)}
      </span>
    </p>
  );
}
