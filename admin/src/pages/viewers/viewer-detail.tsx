import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { describeTarget } from '../../api/audit-target.ts';
import type { Refusal } from '../../api/resources.ts';
import type { Lease, Viewer } from '../../api/schema.ts';
import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/errors.tsx';
import { FactList } from '../../components/fact-list.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { Notice } from '../../components/notice.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { ResourceList } from '../../components/resource-page.tsx';
import { BackLink, Section } from '../../components/section.tsx';
import { UnlimitedOnly } from '../../components/unlimited-only.tsx';
import { HistorySection } from '../audit/history.tsx';
import { describeUnknownCount, useLeaseCounts } from '../leases/active-count.tsx';
import type { RevocationSubject } from '../leases/describe-revocation.tsx';
import { leaseColumns, menuColumn } from '../leases/lease-columns.tsx';
import { addressOf, type LeaseFilter } from '../leases/lease-filter.ts';
import { RevokeDialog } from '../leases/revoke-dialog.tsx';
import { useLeasePage } from '../leases/use-lease-page.ts';
import { noQuestion, writeQuestion } from '../refusals/key-question.ts';
import { idOfRefusal, refusalColumnsOfViewer } from '../refusals/refusal-columns.tsx';
import { useRefusals } from '../refusals/use-refusals.ts';
import { UsageCard } from '../usage/usage-charts.tsx';
import { useViewerFacts } from './use-viewer-facts.ts';
import { ViewerBlockButton, ViewerBlockNotice } from './viewer-block.tsx';
import { Counted, LastSeen } from './viewer-columns.tsx';
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
  const { facts, error, reload } = useViewerFacts(viewerId);
  const { refusals } = useRefusals();
  const isRefused = refusals?.some((refusal) => refusal.viewerId === viewerId);
  const isUnknown = facts !== undefined && !isSeen(facts) && isRefused === false;
  const columns = useMemo(() => {
    const open = (leaseId: string) => navigate(`${addressOf({ viewer: viewerId })}&lease=${leaseId}`);
    const narrow = (part: Partial<LeaseFilter>) => navigate(addressOf({ viewer: viewerId, ...part }));
    return [...leaseColumns(open), menuColumn({ open, narrow, revoke: setSubject })];
  }, [navigate, viewerId]);
  return (
    <>
      <BackLink href="/viewers">All viewers</BackLink>
      <PageHead
        title={viewerId}
        actions={
          <>
            <Button
              variant="default"
              component={Link}
              href={`/refusals?${writeQuestion({ ...noQuestion, viewer: viewerId })}`}
            >
              Why is a key refused?
            </Button>
            <UnlimitedOnly>
              <Button variant="light" color="bad" onClick={() => setSubject({ viewerId })}>
                Revoke every lease of this viewer…
              </Button>
              <ViewerBlockButton viewerId={viewerId} isBlocked={Boolean(facts?.block)} />
            </UnlimitedOnly>
          </>
        }
      />
      {error !== null && <ErrorState error={error} onRetry={reload} />}
      {facts?.block && <ViewerBlockNotice block={facts.block} />}
      {isUnknown && (
        <Notice kind="warning" title="No trace of this viewer">
          No lease that is kept, no revocation, no block and no counted request of the last hour has this ID.
          IDs are case-sensitive. With several issuers, an ID begins with the prefix of its issuer.
        </Notice>
      )}
      <ViewerSummary counts={counts} facts={facts} leases={page.rows} isFailed={error !== null} />
      <ViewerMarks viewerId={viewerId} />
      <UnlimitedOnly>
        <UsageCard by="viewer" id={viewerId} />
      </UnlimitedOnly>
      <Section
        title="Latest leases"
        aside={<Link href={addressOf({ viewer: viewerId })}>All of this viewer</Link>}
      >
        <ResourceList
          label="Latest leases of this viewer"
          noun="lease"
          columns={columns}
          list={page}
          empty={
            <EmptyState icon="clock" title="No leases">
              New leases appear here at once. Ended ones are removed a day after their end.
            </EmptyState>
          }
        />
      </Section>
      <UnlimitedOnly>
        <ViewerRefusals viewerId={viewerId} />
        <ViewerHistory viewerId={viewerId} />
      </UnlimitedOnly>
      {subject && <RevokeDialog subject={subject} onClose={() => setSubject(null)} />}
    </>
  );
}

const isSeen = ({ lastSeenAt, mark, block, lastHour }: Viewer): boolean =>
  Boolean(lastSeenAt ?? mark ?? block ?? lastHour);

interface ViewerSummaryProps {
  counts: ReturnType<typeof useLeaseCounts>;
  facts: Viewer | undefined;
  leases: readonly Lease[] | undefined;
  isFailed: boolean;
}

function ViewerSummary({ counts, facts, leases = [], isFailed }: ViewerSummaryProps) {
  const { active } = counts;
  const unread = isFailed ? 'Not known' : 'Loading…';
  const hasUsage = facts?.lastHour !== undefined;
  return (
    <Card>
      <FactList
        facts={{
          'Active leases': active === undefined ? describeUnknownCount(counts.isFailed) : formatCount(active),
          'Last seen': facts ? <LastSeen at={facts.lastSeenAt} isFocusable /> : unread,
          Devices: facts ? <Devices count={facts.devices} leases={leases} /> : unread,
          'Keys, last hour': hasUsage && <Counted count={facts?.lastHour?.served} />,
          'Refused, last hour': hasUsage && <Counted count={facts?.lastHour?.refused} />,
        }}
      />
    </Card>
  );
}

/** How many devices a viewer has, and the names of those whose leases are on the page. */
function Devices({ count, leases }: { count: number; leases: readonly Lease[] }) {
  const named = [...new Set(leases.flatMap(({ deviceId }) => deviceId ?? []))];
  if (count === 0) return 'none named';
  return (
    <>
      {formatCount(count)}
      {named.length > 0 && (named.length < count ? ', the latest ' : ': ')}
      {named.map((device, place) => (
        <span key={device}>
          {place > 0 && ', '}
          <OutsideText text={device} />
        </span>
      ))}
    </>
  );
}

/** Acts on this viewer, and its own that the audit has: management that it was refused. */
function ViewerHistory({ viewerId }: { viewerId: string }) {
  const target = describeTarget({ viewerId, contentId: null });
  return (
    <HistorySection
      target={target}
      link="All records on this viewer"
      questions={[{ target }, { actor: viewerId }]}
      // An actor with the ID of a viewer may be an API key or a kind of actors.
      isShown={(record) => record.target === target || record.actor.kind === 'viewer'}
      about="on or by this viewer is in the audit"
    />
  );
}

function ViewerRefusals({ viewerId }: { viewerId: string }) {
  const { refusals, error, reload } = useRefusals();
  const isOfViewer = (refusal: Refusal) => refusal.viewerId === viewerId;
  return (
    <Section title="Latest refusals" aside={<Link href="/refusals">All refusals</Link>}>
      <DataTable
        label="Latest refusals of this viewer"
        columns={refusalColumnsOfViewer}
        list={{ rows: refusals?.filter(isOfViewer).slice(0, shownRefusals), error, reload }}
        rowId={idOfRefusal}
        empty={
          <EmptyState icon="check" title="No refusals">
            None of this viewer’s requests is among the latest refusals in memory.
          </EmptyState>
        }
      />
    </Section>
  );
}
