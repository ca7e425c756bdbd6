import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { describeTarget } from '../../api/audit-target.ts';
import type { Lease } from '../../api/schema.ts';
import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FactList } from '../../components/fact-list.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { Icon } from '../../components/icon.tsx';
import { LiveBar } from '../../components/live-bar.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { UnlimitedOnly } from '../../components/unlimited-only.tsx';
import { AllRecords, History } from '../audit/history.tsx';
import content from '../content/content.module.css';
import { describeUnknownCount, useLeaseCounts } from '../leases/active-count.tsx';
import type { RevocationSubject } from '../leases/describe-revocation.tsx';
import { leaseColumns } from '../leases/lease-columns.tsx';
import { addressOf } from '../leases/lease-filter.ts';
import { RevokeDialog } from '../leases/revoke-dialog.tsx';
import { useLeasePage } from '../leases/use-lease-page.ts';
import { writeQuestion } from '../refusals/key-question.ts';
import { codeColumn, contentColumn, requestColumn, timeColumn } from '../refusals/refusal-columns.tsx';
import { useRefusals } from '../refusals/use-refusals.ts';
import { UsageCard } from '../usage/usage-card.tsx';
import { useViewerBlock, ViewerBlockButton, ViewerBlockNotice } from './viewer-block.tsx';
import { ViewerMarks } from './viewer-marks.tsx';

/** A short list: the Leases page has all of them. */
const shownLeases = 10;
/** As many as help to see a pattern. */
const shownRefusals = 20;

/** One viewer: what it plays and with what, what it was refused, whether it is blocked, and which revocations hold against it. */
export function ViewerDetail({ viewerId }: { viewerId: string }) {
  const [, navigate] = useLocation();
  const [subject, setSubject] = useState<RevocationSubject | null>(null);
  const page = useLeasePage({ viewerId, limit: shownLeases }, null);
  const counts = useLeaseCounts({ viewerId }, page);
  const block = useViewerBlock(viewerId);
  const columns = useMemo(() => {
    const open = (leaseId: string) => navigate(`${addressOf({ viewerId })}&lease=${leaseId}`);
    return leaseColumns({
      open,
      narrow: (part) => navigate(addressOf({ viewerId, ...part })),
      revoke: setSubject,
    });
  }, [navigate, viewerId]);
  return (
    <>
      <Link href="/viewers" className={content.back}>
        <Icon name="left" size={16} />
        All viewers
      </Link>
      <PageHead
        title={viewerId}
        actions={
          <>
            <Button
              variant="default"
              component={Link}
              href={`/refusals?${writeQuestion({ who: viewerId, contentId: '', epoch: '', leaseId: '', requestId: '' })}`}
            >
              Why is a key refused?
            </Button>
            <UnlimitedOnly>
              <Button variant="light" color="bad" onClick={() => setSubject({ viewerId })}>
                Revoke every lease of this viewer…
              </Button>
              <ViewerBlockButton viewerId={viewerId} block={block} />
            </UnlimitedOnly>
          </>
        }
      />
      <ViewerBlockNotice block={block} />
      <ViewerFacts counts={counts} leases={page.rows} />
      <ViewerMarks viewerId={viewerId} />
      <UnlimitedOnly>
        <UsageCard by="viewer" id={viewerId} />
      </UnlimitedOnly>
      <section aria-labelledby="viewer-leases">
        <div className={content.leases}>
          <h2 id="viewer-leases">Latest leases</h2>
          <Link href={addressOf({ viewerId })}>All of this viewer</Link>
        </div>
        <LiveBar arrived={page.arrived} noun="leases" onShow={page.reload} />
        <DataTable
          label="Latest leases of this viewer"
          columns={columns}
          rows={page.rows}
          rowId={({ id }) => id}
          empty={
            <EmptyState icon="clock" title="No leases">
              New leases appear here at once. Ended ones are removed a day after their end.
            </EmptyState>
          }
          error={page.error}
          onRetry={page.reload}
          isUpdating={page.isUpdating}
        />
      </section>
      <UnlimitedOnly>
        <ViewerRefusals viewerId={viewerId} />
        <ViewerHistory viewerId={viewerId} />
      </UnlimitedOnly>
      {subject && <RevokeDialog subject={subject} onClose={() => setSubject(null)} />}
    </>
  );
}

interface ViewerFactsProps {
  counts: ReturnType<typeof useLeaseCounts>;
  leases: readonly Lease[] | undefined;
}

function Devices({ leases }: { leases: readonly Lease[] }) {
  const devices = [...new Set(leases.flatMap(({ deviceId }) => deviceId ?? []))];
  if (devices.length === 0) return 'none named';
  return devices.map((device, place) => (
    <span key={device}>
      {place > 0 && ', '}
      <OutsideText text={device} />
    </span>
  ));
}

const countSessions = (leases: readonly Lease[]) => leases.filter(({ kind }) => kind === 'session').length;

/** What follows from the latest leases. */
function ViewerFacts({ counts: { active, isFailed }, leases }: ViewerFactsProps) {
  const unread = isFailed ? 'Not known' : 'Loading…';
  return (
    <Card>
      <FactList
        facts={[
          ['Active leases', active === undefined ? describeUnknownCount(isFailed) : formatCount(active)],
          ['Devices, of the latest leases', leases ? <Devices leases={leases} /> : unread],
          ['Sessions, of the latest leases', leases ? formatCount(countSessions(leases)) : unread],
        ]}
      />
    </Card>
  );
}

/** Acts on this viewer, and its own that the audit has: management that it was refused. */
function ViewerHistory({ viewerId }: { viewerId: string }) {
  const target = describeTarget({ viewerId, contentId: null });
  return (
    <section aria-labelledby="viewer-history">
      <div className={content.leases}>
        <h2 id="viewer-history">History</h2>
        <AllRecords target={target}>All records on this viewer</AllRecords>
      </div>
      <Card>
        <History
          questions={[{ target }, { actor: viewerId }]}
          // An actor with the ID of a viewer may be an API key or a kind of actors.
          isShown={(record) => record.target === target || record.actor.kind === 'viewer'}
          about="on or by this viewer is in the audit"
        />
      </Card>
    </section>
  );
}

const refusalColumns = [codeColumn, contentColumn, requestColumn, timeColumn];

function ViewerRefusals({ viewerId }: { viewerId: string }) {
  const { refusals, error, reload } = useRefusals();
  return (
    <section aria-labelledby="viewer-refusals">
      <div className={content.leases}>
        <h2 id="viewer-refusals">Latest refusals</h2>
        <Link href="/refusals">All refusals</Link>
      </div>
      <DataTable
        label="Latest refusals of this viewer"
        columns={refusalColumns}
        rows={refusals?.filter((refusal) => refusal.viewerId === viewerId).slice(0, shownRefusals)}
        rowId={({ requestId, at, code }) => `${requestId} ${at} ${code}`}
        empty={
          <EmptyState icon="check" title="No refusals">
            None of this viewer’s requests is among the latest refusals in memory.
          </EmptyState>
        }
        error={error}
        onRetry={reload}
      />
    </section>
  );
}
