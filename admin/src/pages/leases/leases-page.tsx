import { Button, Group } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import { countedUpTo, leaseOrders, leaseStates } from '../../api/resources.ts';
import type { Lease } from '../../api/schema.ts';
import { sortedBy } from '../../components/column-sort.ts';
import { CsvExport } from '../../components/csv-export.tsx';
import { EmptyState, NoMatches } from '../../components/empty-state.tsx';
import { FilterSelect, SearchField } from '../../components/filters.tsx';
import { ResourcePage } from '../../components/resource-page.tsx';
import { pageSize, useCursorPages } from '../../components/use-cursor-pages.ts';
import { useApi } from '../../session/app-context.ts';
import { bindTo } from '../../state/use-address-filter.ts';
import { ActiveCount, useLeaseCounts } from './active-count.tsx';
import { useBulk } from './bulk-revocation.tsx';
import type { RevocationSubject } from './describe-revocation.tsx';
import { DetailsDialog } from './details-dialog.tsx';
import { leaseColumns, menuColumn } from './lease-columns.tsx';
import {
  canSortByExpiry,
  type LeaseQuery,
  leaseFilter,
  sortOf,
  toLeaseQuery,
  useLeaseAddress,
} from './lease-filter.ts';
import { RevokeDialog } from './revoke-dialog.tsx';
import { uncounted, useLeasePage } from './use-lease-page.ts';

/** Lists all leases, updated live: search, details and revoke. */
export default function LeasesPage() {
  const { filter, setFilter, leaseId, open } = useLeaseAddress();
  const [subject, setSubject] = useState<RevocationSubject | null>(null);
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
  const { selection, controls, paste, dialog } = useBulk(page.rows);
  const hasExpiryOrder = canSortByExpiry(filter);
  const columns = useMemo(
    () => [...leaseColumns(open, selection, hasExpiryOrder), menuColumn({ open, narrow: setFilter, revoke })],
    [open, setFilter, revoke, selection, hasExpiryOrder],
  );
  const field = bindTo(filter, setFilter);
  // Active leases are counted exactly.
  const isExact = filter.state === 'active';
  return (
    <ResourcePage
      title="Leases"
      lead="Who can play what, and until when. A revoked lease gets no more keys."
      actions={
        <>
          <LeaseExport query={query} />
          <Button variant="default" onClick={paste}>
            Revoke a list…
          </Button>
          <RevokeAll query={query} onRevoke={revoke} />
        </>
      }
      // IDs must match exactly: the server has no search by parts for leases.
      filters={
        <>
          <SearchField label="Viewer ID (exact)" {...field('viewer')} />
          <SearchField label="Content ID (exact)" {...field('content')} hasShortcut={false} names="content" />
          <FilterSelect label="State" values={leaseStates} {...field('state')} />
        </>
      }
      bar={
        <Group gap="0.5rem 0.75rem" style={{ whiteSpace: 'nowrap' }}>
          <ActiveCount {...counts} />
          {controls}
        </Group>
      }
      label="Leases"
      noun="lease"
      {...{ pages, columns }}
      list={{ ...page, total: isExact ? counts.active : counts.total }}
      countedUpTo={isExact ? Number.POSITIVE_INFINITY : countedUpTo.leases}
      sort={sortedBy(sortOf(filter), leaseOrders, (sort) => setFilter({ sort }))}
      empty={
        leaseFilter.isNarrowed(filter) ? (
          <NoMatches title="No matching leases" onReset={() => setFilter(leaseFilter.everything)}>
            IDs must match exactly. A lease that matches later appears here at once.
          </NoMatches>
        ) : (
          <EmptyState icon="clock" title="No leases yet">
            A player requests a lease with POST /keys/leases before it plays. It appears here at once.
          </EmptyState>
        )
      }
    >
      {leaseId !== null && subject === null && (
        <DetailsDialog leaseId={leaseId} revoke={revoke} onClose={() => open(null)} />
      )}
      {subject && <RevokeDialog subject={subject} onClose={() => setSubject(null)} />}
      {dialog}
    </ResourcePage>
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

/** Header and member of each column. */
const exported = {
  id: 'id',
  viewer: 'viewerId',
  content: 'contentId',
  device: 'deviceId',
  kind: 'kind',
  state: 'state',
  created_at: 'createdAt',
  renewed_at: 'renewedAt',
  expires_at: 'expiresAt',
  revoked_at: 'revokedAt',
  revoked_by: 'revokedBy',
  reason: 'reason',
} as const satisfies Record<string, keyof Lease>;

/** Saves the leases that the filter matches. */
function LeaseExport({ query }: { query: LeaseQuery }) {
  const api = useApi();
  return (
    <CsvExport<Lease>
      noun="lease"
      fileName="leases"
      columns={exported}
      read={async (cursor, limit, signal) => {
        const params = { query: { ...query, limit, cursor }, ...uncounted };
        const { leases, next_cursor: next } = await api.call('get', '/api/v1/leases', { params, signal });
        return { rows: leases, next };
      }}
    />
  );
}
