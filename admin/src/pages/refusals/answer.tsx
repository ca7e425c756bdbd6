import { Button, Flex } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { Notice } from '../../components/notice.tsx';
import { toParams } from '../../state/use-address-filter.ts';
import { addressOf } from '../leases/lease-filter.ts';
import { useViewerFacts } from '../viewers/use-viewer-facts.ts';
import { viewerAddress } from '../viewers/viewer-address.ts';
import { BlockEnd, ViewerBlockButton } from '../viewers/viewer-block.tsx';
import { LiftDialog } from '../viewers/viewer-marks.tsx';
import { DecisionSteps } from './decision-steps.tsx';
import type { Explained } from './explain-key.ts';
import { Sentence } from './sentence.tsx';
import { factOf, type KeyDecision } from './step-words.ts';

interface AnswerProps {
  explained: Explained;
  /** Asks again, after a remedy. */
  onChanged: () => void;
}

/** The answer in one sentence, the remedies, and below them how it was decided. */
export function Answer({ explained, onChanged }: AnswerProps) {
  const { decision, cause } = explained;
  const outcome = decision?.outcome ?? (cause.block ? 'refused' : 'unknown');
  const kind = { served: 'good', refused: 'bad', unknown: 'warning' } as const;
  const { block } = cause;
  const next = block ? <BlockEnd {...block} /> : decision && describeNext(decision, explained);
  return (
    <Flex direction="column" gap="1rem" mt="1.25rem">
      <Notice kind={kind[outcome]} role="status" title={<Sentence explained={explained} />}>
        {next && <p>{next}</p>}
        <Remedies explained={explained} onChanged={onChanged} />
      </Notice>
      {decision && (
        <details>
          <summary>How it was decided</summary>
          <DecisionSteps {...explained} decision={decision} />
        </details>
      )}
    </Flex>
  );
}

/** Advice by code, for codes whose sentence does not imply it. */
const advice: Readonly<Record<string, string>> = {
  INVALID_TOKEN: 'Your application has to issue a token that this server accepts.',
  LEASE_REVOKED: 'With a token that is issued after the revocation, the player gets a new lease.',
  LEASE_EXPIRED: 'The player has to request a new lease.',
  LEASE_UNKNOWN: 'The player has to request a lease of its own.',
  LEASE_REQUIRED: 'LEASE_MODE=required: the player has to send X-Lease-Id.',
};

/** The same for a refusal of the past whose reason is not a state of the server. */
const pastAdvice: Readonly<Record<string, string>> = {
  LEASE_LIMIT_REACHED: 'LEASE_MAX_PER_VIEWER: the viewer had as many leases as it may have.',
  RATE_LIMITED: 'RATE_LIMIT=on: too many requests. The player has to wait.',
};

function describeNext(
  { outcome, code, withNewToken }: KeyDecision,
  { isAssumed, refusal }: Explained,
): string | null {
  if (outcome === 'served') {
    const past = refusal && pastAdvice[refusal.code];
    if (past) return past;
    if (isAssumed)
      return 'So it is for a token that is issued now and opens everything. If the player still gets no key, paste its token.';
    return refusal && 'What refused it has changed since.';
  }
  if (outcome !== 'refused' || code === null) return null;
  if (advice[code]) return advice[code];
  // The steps that another token of the viewer can pass.
  if (!withNewToken || !['CONTENT_NOT_ENTITLED', 'TOKEN_REVOKED'].includes(code)) return null;
  const token = 'A token that is issued now and opens this content';
  if (withNewToken.outcome === 'served') return `${token} would get the key.`;
  return withNewToken.outcome === 'refused'
    ? `${token} would be refused too: ${withNewToken.code}.`
    : `What ${token.toLowerCase()} would get cannot be known now.`;
}

/** The actions that an admin can take, and the pages to look at. */
function Remedies({ explained, onChanged }: AnswerProps) {
  const { decision, viewerId, cause } = explained;
  const { record, mark, block } = cause;
  const [isLifting, setLifting] = useState(false);
  return (
    <Flex wrap="wrap" gap="0.5rem" mt="0.5rem">
      {block && <BlockRemedy viewerId={block.viewerId} onLifted={onChanged} />}
      {mark && (
        <Button variant="default" size="compact-sm" onClick={() => setLifting(true)}>
          Accept its tokens again…
        </Button>
      )}
      {mark && isLifting && (
        <LiftDialog
          mark={mark}
          onClose={() => {
            setLifting(false);
            onChanged();
          }}
        />
      )}
      {record && (
        <PageButton href={`/audit?${toParams({ target: record.target, action: record.action })}`}>
          Record in the audit
        </PageButton>
      )}
      {decision && isOfContent(decision) && (
        <PageButton href={`/content/${decision.contentId}`}>Content</PageButton>
      )}
      {viewerId !== null && (
        <>
          <PageButton href={addressOf({ viewer: viewerId })}>Leases</PageButton>
          <PageButton href={viewerAddress(viewerId)}>Viewer</PageButton>
        </>
      )}
    </Flex>
  );
}

/** Whether the state of a registered content refuses the key. */
const isOfContent = (decision: KeyDecision) =>
  decision.code?.startsWith('EPOCH_') || factOf(decision, 'content', 'status') === 'disabled';

function PageButton({ href, children }: { href: string; children: string }) {
  return (
    <Button variant="default" size="compact-sm" component={Link} href={href}>
      {children}
    </Button>
  );
}

/** Follows the block, so that the answer changes once it is lifted, by anyone. */
function BlockRemedy({ viewerId, onLifted }: { viewerId: string; onLifted: () => void }) {
  const { facts } = useViewerFacts(viewerId);
  const wasBlocked = useRef(false);
  useEffect(() => {
    if (facts?.block) wasBlocked.current = true;
    else if (facts && wasBlocked.current) {
      wasBlocked.current = false;
      onLifted();
    }
  });
  return facts?.block ? <ViewerBlockButton viewerId={viewerId} isBlocked size="compact-sm" /> : null;
}
