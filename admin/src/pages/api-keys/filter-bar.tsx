import { NativeSelect } from '@mantine/core';
import { useCallback } from 'react';
import { type Scope, scopes } from '../../api/resources.ts';
import { FilterRow, FilterToggle, SearchField, ToggleGroup } from '../../components/filters.tsx';
import { type ApiKeyFilter, type KeyCheck, statuses, withKeyCheck } from './api-key-filter.ts';

const keyCheckNames: Record<KeyCheck, string> = {
  'never-expires': 'Never expires',
  'unused-90-days': 'Unused for 90 days',
  'expiring-14-days': 'Expires within 14 days',
};

export interface FilterBarProps {
  filter: ApiKeyFilter;
  onChange: (change: (filter: ApiKeyFilter) => ApiKeyFilter) => void;
}

/** The filters of the table. */
export function FilterBar({ filter, onChange }: FilterBarProps) {
  const search = useCallback((q: string) => onChange((now) => ({ ...now, q })), [onChange]);
  const set = (part: Partial<ApiKeyFilter>) => onChange((now) => ({ ...now, ...part }));
  return (
    <FilterRow label="Filters">
      <SearchField label="Search name or key prefix" value={filter.q} onSearch={search} />
      <NativeSelect
        aria-label="Status"
        value={filter.status ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange((now) => ({
            ...withKeyCheck(now, null),
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
      <ToggleGroup label="Checks">
        {(Object.keys(keyCheckNames) as KeyCheck[]).map((check) => (
          <FilterToggle
            key={check}
            isOn={filter.check === check}
            onToggle={(isOn) => onChange((now) => withKeyCheck(now, isOn ? check : null))}
          >
            {keyCheckNames[check]}
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
