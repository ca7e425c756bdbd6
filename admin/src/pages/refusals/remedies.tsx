import { Button, Flex } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { toParams } from '../../state/use-address-filter.ts';
import { addressOf } from '../leases/lease-filter.ts';
import { useViewerFacts } from '../viewers/use-viewer-facts.ts';
import { viewerAddress } from '../viewers/viewer-address.ts';
import { ViewerBlockButton } from '../viewers/viewer-block.tsx';
import { LiftDialog } from '../viewers/viewer-marks.tsx';
import type { Explained } from './explain-key.ts';
import { factOf, type KeyDecision } from './step-words.ts';

export interface RemediesProps {
  explained: Explained;
  /** Asks again, after a remedy. */
  onChanged: () => void;
}

/** The actions that an admin can take, and the pages to look at. */
export function Remedies({ explained, onChanged }: RemediesProps) {
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
