import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import type { LeaseQuery, LeaseSelector } from '../../api/leases.ts';
import { type LeaseStatus, leaseStatuses } from '../../api/resources.ts';

/** What the table is narrowed to; it stands in the address, so that it can be kept, sent and gone back to. */
export interface LeaseFilter {
  viewerId: string;
  contentId: string;
  state: LeaseStatus | null;
}

export const everyLease: LeaseFilter = { viewerId: '', contentId: '', state: null };

/** Reads the query of an address; what it does not know counts as absent. */
export function readFilter(params: URLSearchParams): LeaseFilter {
  return {
    viewerId: params.get('viewer') ?? '',
    contentId: params.get('content') ?? '',
    state: leaseStatuses.find((state) => state === params.get('state')) ?? null,
  };
}

/** The query of an address that stands for the filter. */
export function writeFilter({ viewerId, contentId, state }: Partial<LeaseFilter>): URLSearchParams {
  const entries = { viewer: viewerId, content: contentId, state };
  return new URLSearchParams(
    Object.entries(entries).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}

/** The address of the page with the filter, within the dashboard. */
export function addressOf(filter: Partial<LeaseFilter>): string {
  const query = writeFilter(filter);
  return query.size === 0 ? '/leases' : `/leases?${query}`;
}

/** What to ask the server. An id that was pasted brings spaces along. */
export function toLeaseQuery({ viewerId, contentId, state }: LeaseFilter): LeaseSelector & LeaseQuery {
  return {
    viewerId: viewerId.trim() || undefined,
    contentId: contentId.trim() || undefined,
    state: state ?? undefined,
  };
}

export function isNarrowed(filter: LeaseFilter): boolean {
  return writeFilter(filter).size > 0;
}

interface LeaseAddress {
  filter: LeaseFilter;
  setFilter: (change: (filter: LeaseFilter) => LeaseFilter) => void;
  /** Of the lease whose details are open; null for none. */
  leaseId: string | null;
  open: (leaseId: string | null) => void;
}

/** What the address of the page holds: the filter, and the lease whose details are open. */
export function useLeaseAddress(): LeaseAddress {
  const [params, setParams] = useSearchParams();
  const filter = useMemo(() => readFilter(params), [params]);
  // Not a step of its own in the history: the button back leaves the page, not the last letter.
  const setFilter = useCallback(
    (change: (filter: LeaseFilter) => LeaseFilter) =>
      setParams((now) => writeFilter(change(readFilter(now))), { replace: true }),
    [setParams],
  );
  const open = useCallback(
    (leaseId: string | null) =>
      setParams(
        (now) => {
          const next = writeFilter(readFilter(now));
          if (leaseId !== null) next.set('lease', leaseId);
          return next;
        },
        // The page of the list stays the one that it is.
        { replace: true, state: history.state },
      ),
    [setParams],
  );
  return { filter, setFilter, leaseId: params.get('lease'), open };
}
