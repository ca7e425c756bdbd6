import { Button } from '@mantine/core';
import { EmptyState } from '../../components/empty-state.tsx';
import { everyLease, isNarrowed, type LeaseFilter } from './lease-filter.ts';

export interface NoLeasesProps {
  filter: LeaseFilter;
  onReset: (change: () => LeaseFilter) => void;
}

/** Where no lease is shown: because of the filter, or because there is none. */
export function NoLeases({ filter, onReset }: NoLeasesProps) {
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
