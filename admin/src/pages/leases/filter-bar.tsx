import { NativeSelect } from '@mantine/core';
import { useCallback } from 'react';
import { leaseStatuses } from '../../api/resources.ts';
import { FilterRow, SearchField } from '../../components/filters.tsx';
import type { LeaseFilter } from './lease-filter.ts';

export interface FilterBarProps {
  filter: LeaseFilter;
  onChange: (change: (filter: LeaseFilter) => LeaseFilter) => void;
}

/** The filters of the table. IDs must match exactly: the server has no search by parts for leases. */
export function FilterBar({ filter, onChange }: FilterBarProps) {
  const findViewer = useCallback((viewerId: string) => onChange((now) => ({ ...now, viewerId })), [onChange]);
  const findContent = useCallback(
    (contentId: string) => onChange((now) => ({ ...now, contentId })),
    [onChange],
  );
  return (
    <FilterRow label="Filters">
      <SearchField label="Viewer ID (exact)" value={filter.viewerId} onSearch={findViewer} />
      <SearchField
        label="Content ID (exact)"
        value={filter.contentId}
        onSearch={findContent}
        hasShortcut={false}
      />
      <NativeSelect
        aria-label="State"
        value={filter.state ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange((now) => ({ ...now, state: (value || null) as LeaseFilter['state'] }))
        }
        data={[
          { value: '', label: 'Any state' },
          ...leaseStatuses.map((value) => ({ value, label: `Only ${value}` })),
        ]}
      />
    </FilterRow>
  );
}
