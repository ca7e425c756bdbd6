import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { type LeaseFilter, readFilter, writeFilter } from './lease-filter.ts';

export interface LeaseAddress {
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
