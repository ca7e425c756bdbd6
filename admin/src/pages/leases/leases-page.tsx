import { Button } from '@mantine/core';
import { useCallback, useMemo, useRef, useState } from 'react';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { countOf } from '../../components/format-numbers.ts';
import { LiveBar } from '../../components/live-bar.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Pager } from '../../components/pager.tsx';
import { useCursorPages } from '../../components/use-cursor-pages.ts';
import { ActiveCount, useActiveCount } from './active-count.tsx';
import type { Revoking } from './describe-revocation.tsx';
import { DetailsDialog } from './details-dialog.tsx';
import { FilterBar } from './filter-bar.tsx';
import { leaseColumns } from './lease-columns.tsx';
import { everyLease, isNarrowed, type LeaseFilter, toLeaseQuery, useLeaseAddress } from './lease-filter.ts';
import { RevokeDialog } from './revoke-dialog.tsx';
import { useLeasePage } from './use-lease-page.ts';

/** What fits two windows: drawn at once, and soon fetched. */
const pageSize = 50;

/** Every lease, as it comes and goes: found, looked at and ended here. */
export default function LeasesPage() {
  const { filter, setFilter, leaseId, open } = useLeaseAddress();
  const [revoking, setRevoking] = useState<Revoking | null>(null);
  const table = useRef<HTMLDivElement>(null);
  const asked = toLeaseQuery(filter);
  const pages = useCursorPages(JSON.stringify(asked));
  const page = useLeasePage({ ...asked, limit: pageSize }, pages.cursor);
  const active = useActiveCount(asked, page.isListed);
  const narrow = useCallback(
    (part: Partial<LeaseFilter>) => setFilter((now) => ({ ...now, ...part })),
    [setFilter],
  );
  const revoke = useCallback(
    (named: Revoking) => {
      open(null);
      setRevoking(named);
    },
    [open],
  );
  const columns = useMemo(() => leaseColumns({ open, narrow, revoke }), [open, narrow, revoke]);
  const showNew = () => {
    // What is new is on the first page.
    pages.goFirst();
    page.reload();
  };
  return (
    <>
      <PageHead
        title="Leases"
        lead="Who may play what, and until when. A revoked lease gives no more keys."
        actions={<RevokeAll asked={asked} onRevoke={revoke} />}
      />
      <FilterBar filter={filter} onChange={setFilter} />
      <LiveBar stream={page.stream} arrived={page.arrived} noun="leases" onShow={showNew}>
        <ActiveCount active={active} />
      </LiveBar>
      <DataTable
        frame={table}
        label="Leases"
        columns={columns}
        rows={page.rows}
        rowId={({ id }) => id}
        empty={<NoLeases filter={filter} onReset={setFilter} />}
        error={page.error}
        onRetry={page.reload}
        isUpdating={page.isUpdating}
      />
      {page.rows && (
        <Pager
          pages={pages}
          table={table}
          nextCursor={page.nextCursor}
          summary={countOf(page.rows.length, 'lease')}
        />
      )}
      {leaseId !== null && revoking === null && (
        <DetailsDialog leaseId={leaseId} revoke={revoke} onClose={() => open(null)} />
      )}
      {revoking && <RevokeDialog revoking={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

interface RevokeAllProps {
  asked: { viewerId?: string | undefined; contentId?: string | undefined };
  onRevoke: (revoking: Revoking) => void;
}

/** Ends all that the filter names, whatever their state. */
function RevokeAll({ asked: { viewerId, contentId }, onRevoke }: RevokeAllProps) {
  const pair = contentId === undefined ? {} : { contentId };
  const target = viewerId === undefined ? contentId && { contentId } : { viewerId, ...pair };
  const what =
    viewerId && contentId ? 'this viewer for this content' : viewerId ? 'this viewer' : 'this content';
  if (!target) return null;
  return (
    <Button variant="light" color="bad" onClick={() => onRevoke(target)}>
      Revoke every lease of {what}…
    </Button>
  );
}

interface NoLeasesProps {
  filter: LeaseFilter;
  onReset: (change: () => LeaseFilter) => void;
}

/** Where no lease is shown: because of the filter, or because there is none. */
function NoLeases({ filter, onReset }: NoLeasesProps) {
  if (!isNarrowed(filter))
    return (
      <EmptyState icon="clock" title="No lease yet">
        A player asks for one with POST /keys/leases before it plays. It is seen here the moment it does.
      </EmptyState>
    );
  const reset = (
    <Button variant="default" onClick={() => onReset(() => everyLease)}>
      Show every lease
    </Button>
  );
  return (
    <EmptyState icon="search" title="No lease is like that" action={reset}>
      Ids count as a whole, letter for letter. Whatever comes to match is seen here at once.
    </EmptyState>
  );
}
