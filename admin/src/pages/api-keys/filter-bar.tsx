import { NativeSelect } from '@mantine/core';
import { useCallback } from 'react';
import { type Scope, scopes } from '../../api/resources.ts';
import { FilterRow, FilterToggle, SearchField, ToggleGroup } from '../../components/filters.tsx';
import { type ApiKeyFilter, type Concern, statuses, withConcern } from './api-key-filter.ts';

const concernNames: Record<Concern, string> = {
  'never-expires': 'Never expires',
  'unused-90-days': 'Unused for 90 days',
  'expiring-14-days': 'Expires within 14 days',
};

export interface FilterBarProps {
  filter: ApiKeyFilter;
  onChange: (change: (filter: ApiKeyFilter) => ApiKeyFilter) => void;
}

/** What the table is narrowed to. */
export function FilterBar({ filter, onChange }: FilterBarProps) {
  const search = useCallback((q: string) => onChange((now) => ({ ...now, q })), [onChange]);
  const set = (part: Partial<ApiKeyFilter>) => onChange((now) => ({ ...now, ...part }));
  return (
    <FilterRow label="Filters">
      <SearchField label="Search name or beginning of key" value={filter.q} onSearch={search} />
      <NativeSelect
        aria-label="Status"
        value={filter.status ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange((now) => ({
            ...withConcern(now, null),
            status: (value || null) as ApiKeyFilter['status'],
          }))
        }
        data={[
          { value: '', label: 'Any status' },
          ...statuses.map((value) => ({ value, label: `Only ${value}` })),
        ]}
      />
      <NativeSelect
        aria-label="Scope"
        value={filter.scope ?? ''}
        onChange={({ currentTarget: { value } }) => set({ scope: (value || null) as Scope | null })}
        data={[
          { value: '', label: 'Any scope' },
          ...scopes.map((value) => ({ value, label: `Scope ${value}` })),
        ]}
      />
      <ToggleGroup label="Keys to look at">
        {(Object.keys(concernNames) as Concern[]).map((concern) => (
          <FilterToggle
            key={concern}
            isOn={filter.concern === concern}
            onToggle={(isOn) => onChange((now) => withConcern(now, isOn ? concern : null))}
          >
            {concernNames[concern]}
          </FilterToggle>
        ))}
        <FilterToggle
          isOn={filter.scope === 'admin'}
          onToggle={(isOn) => set({ scope: isOn ? 'admin' : null })}
        >
          Admin scope
        </FilterToggle>
      </ToggleGroup>
    </FilterRow>
  );
}
