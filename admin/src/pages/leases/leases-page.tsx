import { Button } from '@mantine/core';
import { memo, useCallback, useMemo, useRef, useState } from 'react';
import { countedUpTo, leaseOrders, leaseStates } from '../../api/resources.ts';
import { sortedBy } from '../../components/column-sort.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState, NoMatches } from '../../components/empty-state.tsx';
import { FilterRow, FilterSelect, SearchField } from '../../components/filters.tsx';
import { countOf } from '../../components/format-numbers.ts';
import { LiveBar } from '../../components/live-bar.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Pager } from '../../components/pager.tsx';
import { pageSize, useCursorPages } from '../../components/use-cursor-pages.ts';
import type { ChangeFilter } from '../../state/use-address-filter.ts';
import { ActiveCount, useLeaseCounts } from './active-count.tsx';
import type { RevocationSubject } from './describe-revocation.tsx';
import { DetailsDialog } from './details-dialog.tsx';
import { leaseColumns } from './lease-columns.tsx';
import { LeaseExport } from './lease-export.tsx';
import {
  canSortByExpiry,
  everyLease,
  isNarrowed,
  type LeaseFilter,
  type LeaseQuery,
  sortOf,
  toLeaseQuery,
  useLeaseAddress,
} from './lease-filter.ts';
import styles from './leases.module.css';
import { RevokeDialog } from './revoke-dialog.tsx';
import { useBulk } from './use-bulk.tsx';
import { useLeasePage } from './use-lease-page.ts';

/** Lists all leases, updated live: search, details and revoke. */
export default function LeasesPage() {
  const { filter, setFilter, leaseId, open } = useLeaseAddress();
  const [subject, setSubject] = useState<RevocationSubject | null>(null);
  const table = useRef<HTMLDivElement>(null);
  const query = toLeaseQuery(filter);
  const pages = useCursorPages(JSON.stringify(query));
  const page = useLeasePage({ ...query, limit: pageSize }, pages.cursor);
  const counts = useLeaseCounts(query, page);
  const revoke = useCallback(
    (named: RevocationSubject) => {
      open(null);
      setSubject(named);
    },
    [open],
  );
  const { selection, chosen, paste, revokeChosen, dialog } = useBulk(page.rows);
  const { ids, toggle } = selection;
  const hasExpiryOrder = canSortByExpiry(filter);
  const columns = useMemo(
    () => leaseColumns({ open, narrow: setFilter, revoke }, { ids, toggle }, hasExpiryOrder),
    [open, setFilter, revoke, ids, toggle, hasExpiryOrder],
  );
  const showNew = () => {
    // New rows are on the first page.
    pages.goFirst();
    page.reload();
  };
  return (
    <>
      <PageHead
        title="Leases"
        lead="Who can play what, and until when. A revoked lease gets no more keys."
        actions={<Acts filter={filter} onRevoke={revoke} onPaste={paste} />}
      />
      <FilterBar filter={filter} onChange={setFilter} />
      <LiveBar arrived={page.arrived} noun="leases" onShow={showNew}>
        <span className={styles.counts}>
          <ActiveCount {...counts} />
          <RevokeChosen count={chosen} onRevoke={revokeChosen} />
        </span>
      </LiveBar>
      <DataTable
        frame={table}
        label="Leases"
        columns={columns}
        rows={page.rows}
        rowId={({ id }) => id}
        empty={<NoLeases filter={filter} onChange={setFilter} />}
        error={page.error}
        onRetry={page.reload}
        isUpdating={page.isUpdating}
        sort={sortedBy(sortOf(filter), leaseOrders, (sort) => setFilter({ sort }))}
      />
      {page.rows && (
        <Pager
          pages={pages}
          table={table}
          nextCursor={page.nextCursor}
          summary={countOf(page.rows.length, 'lease')}
          {...(filter.state === 'active'
            ? { total: counts.active }
            : { total: counts.total, countedUpTo: countedUpTo.leases })}
        />
      )}
      {leaseId !== null && subject === null && (
        <DetailsDialog leaseId={leaseId} revoke={revoke} onClose={() => open(null)} />
      )}
      {subject && <RevokeDialog subject={subject} onClose={() => setSubject(null)} />}
      {dialog}
    </>
  );
}

function RevokeChosen({ count, onRevoke }: { count: number; onRevoke: () => void }) {
  if (count === 0) return null;
  return (
    <Button
      size="compact-md"
      variant="light"
      color="bad"
      aria-label={`Revoke ${countOf(count, 'selected lease')}…`}
      onClick={onRevoke}
    >
      Revoke {count}…
    </Button>
  );
}

interface ActsProps {
  filter: LeaseFilter;
  onRevoke: (subject: RevocationSubject) => void;
  onPaste: () => void;
}

function Acts({ filter, onRevoke, onPaste }: ActsProps) {
  return (
    <>
      <LeaseExport filter={filter} />
      <Button variant="default" onClick={onPaste}>
        Revoke a list…
      </Button>
      <RevokeAll query={toLeaseQuery(filter)} onRevoke={onRevoke} />
    </>
  );
}

interface RevokeAllProps {
  query: LeaseQuery;
  onRevoke: (subject: RevocationSubject) => void;
}

/** Revokes all leases of the filtered viewer and content, whatever the state filter. */
function RevokeAll({ query: { viewerId, contentId }, onRevoke }: RevokeAllProps) {
  const pair = contentId ? { contentId } : null;
  const target = viewerId ? { viewerId, ...pair } : pair;
  const what =
    viewerId && contentId ? 'this viewer for this content' : viewerId ? 'this viewer' : 'this content';
  if (!target) return null;
  return (
    <Button variant="light" color="bad" onClick={() => onRevoke(target)}>
      Revoke every lease of {what}…
    </Button>
  );
}

interface FilterProps {
  filter: LeaseFilter;
  onChange: ChangeFilter<LeaseFilter>;
}

/** The filters of the table. IDs must match exactly: the server has no search by parts for leases. */
const FilterBar = memo(function FilterBar({ filter, onChange }: FilterProps) {
  const findViewer = useCallback((viewerId: string) => onChange({ viewerId }), [onChange]);
  const findContent = useCallback((contentId: string) => onChange({ contentId }), [onChange]);
  return (
    <FilterRow>
      <SearchField label="Viewer ID (exact)" value={filter.viewerId} onSearch={findViewer} />
      <SearchField
        label="Content ID (exact)"
        value={filter.contentId}
        onSearch={findContent}
        hasShortcut={false}
        names="content"
      />
      <FilterSelect
        label="State"
        values={leaseStates}
        value={filter.state}
        onChange={(state) => onChange({ state })}
      />
    </FilterRow>
  );
});

/** Shown without rows: the filter matches nothing, or there are no leases. */
function NoLeases({ filter, onChange }: FilterProps) {
  if (isNarrowed(filter))
    return (
      <NoMatches title="No matching leases" onReset={() => onChange(everyLease)}>
        IDs must match exactly. A lease that matches later appears here at once.
      </NoMatches>
    );
  return (
    <EmptyState icon="clock" title="No leases yet">
      A player requests a lease with POST /keys/leases before it plays. It appears here at once.
    </EmptyState>
  );
}
