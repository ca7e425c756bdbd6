import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { describeTarget } from '../../api/audit-target.ts';
import type { Refusal } from '../../api/resources.ts';
import type { Lease } from '../../api/schema.ts';
import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FactList } from '../../components/fact-list.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { ResourceList } from '../../components/resource-page.tsx';
import { BackLink, Section } from '../../components/section.tsx';
import { UnlimitedOnly } from '../../components/unlimited-only.tsx';
import { AllRecords, History } from '../audit/history.tsx';
import { describeUnknownCount, useLeaseCounts } from '../leases/active-count.tsx';
import type { RevocationSubject } from '../leases/describe-revocation.tsx';
import { leaseColumns } from '../leases/lease-columns.tsx';
import { addressOf } from '../leases/lease-filter.ts';
import { RevokeDialog } from '../leases/revoke-dialog.tsx';
import { useLeasePage } from '../leases/use-lease-page.ts';
import { writeQuestion } from '../refusals/key-question.ts';
import {
  codeColumn,
  contentColumn,
  idOfRefusal,
  requestColumn,
  whenColumn,
} from '../refusals/refusal-columns.tsx';
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
    const open = (leaseId: string) => navigate(`${addressOf({ viewer: viewerId })}&lease=${leaseId}`);
    return leaseColumns({
      open,
      narrow: (part) => navigate(addressOf({ viewer: viewerId, ...part })),
      revoke: setSubject,
    });
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
        facts={{
          'Active leases': active === undefined ? describeUnknownCount(isFailed) : formatCount(active),
          'Devices, of the latest leases': leases ? <Devices leases={leases} /> : unread,
          'Sessions, of the latest leases': leases ? formatCount(countSessions(leases)) : unread,
        }}
      />
    </Card>
  );
}

/** Acts on this viewer, and its own that the audit has: management that it was refused. */
function ViewerHistory({ viewerId }: { viewerId: string }) {
  const target = describeTarget({ viewerId, contentId: null });
  return (
    <Section title="History" aside={<AllRecords target={target}>All records on this viewer</AllRecords>}>
      <Card>
        <History
          questions={[{ target }, { actor: viewerId }]}
          // An actor with the ID of a viewer may be an API key or a kind of actors.
          isShown={(record) => record.target === target || record.actor.kind === 'viewer'}
          about="on or by this viewer is in the audit"
        />
      </Card>
    </Section>
  );
}

const refusalColumns = [codeColumn, contentColumn, requestColumn, whenColumn];

function ViewerRefusals({ viewerId }: { viewerId: string }) {
  const { refusals, error, reload } = useRefusals();
  const isOfViewer = (refusal: Refusal) => refusal.viewerId === viewerId;
  return (
    <Section title="Latest refusals" aside={<Link href="/refusals">All refusals</Link>}>
      <DataTable
        label="Latest refusals of this viewer"
        columns={refusalColumns}
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
