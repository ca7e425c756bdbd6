import { NativeSelect } from '@mantine/core';
import { useCallback } from 'react';
import type { ContentStatus } from '../../api/resources.ts';
import { FilterRow } from '../../components/filter-row.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { type ContentFilter, statuses } from './content-filter.ts';
import type { ChangeFilter } from './use-content-filter.ts';

/** What the table is narrowed to. Anything else begins at its first page. */
export function FilterBar({ filter, onChange }: { filter: ContentFilter; onChange: ChangeFilter }) {
  const search = useCallback((q: string) => onChange((now) => ({ ...now, q, page: 1 })), [onChange]);
  return (
    <FilterRow label="Filters">
      <SearchField label="Search name or id" value={filter.q} onSearch={search} />
      <NativeSelect
        aria-label="Status"
        value={filter.status ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange((now) => ({ ...now, status: (value || null) as ContentStatus | null, page: 1 }))
        }
        data={[
          { value: '', label: 'Any status' },
          ...statuses.map((value) => ({ value, label: `Only ${value}` })),
        ]}
      />
    </FilterRow>
  );
}
