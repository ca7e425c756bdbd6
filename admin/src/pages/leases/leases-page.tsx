import { Button } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import type { RevocationTarget } from '../../api/leases.ts';
import { DataTable } from '../../components/data-table.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Pager } from '../../components/pager.tsx';
import { useCursorPages } from '../../components/use-cursor-pages.ts';
import { DetailsDialog } from './details-dialog.tsx';
import { FilterBar } from './filter-bar.tsx';
import { leaseColumns } from './lease-columns.tsx';
import { type LeaseFilter, toLeaseQuery } from './lease-filter.ts';
import { describePage, LiveBar } from './live-bar.tsx';
import { NoLeases } from './no-leases.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { useActiveCount } from './use-active-count.ts';
import { useLeaseAddress } from './use-lease-address.ts';
import { useLeasePage } from './use-lease-page.ts';

/** What fits two windows: drawn at once, and soon fetched. */
const pageSize = 50;

/** Every lease, as it comes and goes: found, looked at and ended here. */
export default function LeasesPage() {
  const { filter, setFilter, leaseId, open } = useLeaseAddress();
  const [target, setTarget] = useState<RevocationTarget | null>(null);
  const [readings, setReadings] = useState(0);
  const asked = toLeaseQuery(filter);
  const pages = useCursorPages(`${readings} ${JSON.stringify(asked)}`);
  const page = useLeasePage({ ...asked, limit: pageSize }, pages.cursor);
  const active = useActiveCount(asked, page.isListed);
  const narrow = useCallback(
    (part: Partial<LeaseFilter>) => setFilter((now) => ({ ...now, ...part })),
    [setFilter],
  );
  const revoke = useCallback(
    (named: RevocationTarget) => {
      open(null);
      setTarget(named);
    },
    [open],
  );
  const columns = useMemo(() => leaseColumns({ open, narrow, revoke }), [open, narrow, revoke]);
  const showNew = () => {
    // What is new is on the first page.
    setReadings((count) => count + 1);
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
      <LiveBar stream={page.stream} active={active} arrived={page.arrived} onShow={showNew} />
      <DataTable
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
        <Pager pages={pages} nextCursor={page.nextCursor} summary={describePage(page.rows.length)} />
      )}
      {leaseId !== null && target === null && (
        <DetailsDialog leaseId={leaseId} revoke={revoke} onClose={() => open(null)} />
      )}
      {target && <RevokeDialog target={target} onClose={() => setTarget(null)} />}
    </>
  );
}

interface RevokeAllProps {
  asked: { viewerId?: string | undefined; contentId?: string | undefined };
  onRevoke: (target: RevocationTarget) => void;
}

/** Ends all that the filter names, whatever their state. */
function RevokeAll({ asked: { viewerId, contentId }, onRevoke }: RevokeAllProps) {
  const pair = contentId === undefined ? {} : { contentId };
  const target = viewerId === undefined ? contentId && { contentId } : { viewerId, ...pair };
  const what = viewerId && contentId ? 'this viewer here' : viewerId ? 'this viewer' : 'this content';
  if (!target) return null;
  return (
    <Button variant="light" color="bad" onClick={() => onRevoke(target)}>
      Revoke all of {what}…
    </Button>
  );
}
