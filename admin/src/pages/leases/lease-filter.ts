import { useCallback } from 'react';
import { useSearchParams } from 'wouter';
import type { QueryOf } from '../../api/api.ts';
import { leaseOrders, leaseStates } from '../../api/resources.ts';
import {
  type ChangeFilter,
  createFilter,
  searchText,
  toParams,
  useAddressFilter,
} from '../../state/use-address-filter.ts';
import { useGoBack } from '../../state/use-go-back.ts';

export const leaseFilter = createFilter({
  viewer: searchText,
  content: searchText,
  state: leaseStates,
  sort: leaseOrders,
});
export type LeaseFilter = typeof leaseFilter.everything;

/** The address of the Leases page with this filter, within the dashboard. */
export function addressOf(filter: Partial<LeaseFilter>): string {
  const query = toParams(filter);
  return query.size === 0 ? '/leases' : `/leases?${query}`;
}

export type LeaseQuery = QueryOf<'/api/v1/leases'>;

/** The request for the server. */
export function toLeaseQuery(filter: LeaseFilter): LeaseQuery {
  const { viewer, content, state } = filter;
  return {
    viewerId: viewer || undefined,
    contentId: content || undefined,
    state: state ?? undefined,
    sort: sortOf(filter) ?? undefined,
  };
}

/** Whether the server sorts these leases by their expiry: active ones, of everybody. */
export function canSortByExpiry({ viewer, content, state }: LeaseFilter): boolean {
  return state === 'active' && viewer === '' && content === '';
}

/** The order that the list is in. One that does not go with the filter is ignored until it does. */
export function sortOf(filter: LeaseFilter): LeaseFilter['sort'] {
  const isByExpiry = filter.sort === 'expiresAt' || filter.sort === '-expiresAt';
  return isByExpiry && !canSortByExpiry(filter) ? null : filter.sort;
}

/** The state in the page's address: the filter, and the ID of the lease whose details are open, or null. */
export function useLeaseAddress() {
  const [filter, changeFilter] = useAddressFilter(leaseFilter);
  const [params, setParams] = useSearchParams();
  const { goBack, afterBack } = useGoBack();
  const setFilter = useCallback<ChangeFilter<LeaseFilter>>(
    (part) => afterBack(() => changeFilter(part)),
    [afterBack, changeFilter],
  );
  const open = useCallback(
    (leaseId: string | null) => {
      // The entry that opened the details is left by going back, so that a later "back" does not open them again.
      if (leaseId === null && history.state?.isDetails) return goBack();
      afterBack(() =>
        setParams(
          (now) => toParams({ ...leaseFilter.read(now), lease: leaseId }),
          // Keeps the page of the list, which is stored in the history state. Opening is an entry of its own: "back" closes.
          leaseId === null
            ? { replace: true, state: history.state }
            : { state: { ...history.state, isDetails: true } },
        ),
      );
    },
    [setParams, goBack, afterBack],
  );
  return { filter, setFilter, leaseId: params.get('lease'), open };
}
