import { Button } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { memo, useCallback, useMemo, useRef, useState } from 'react';
import { type Answer, reading } from '../../api/api.ts';
import { apiKeyOrders, apiKeyStatuses, countedUpTo, scopes } from '../../api/resources.ts';
import type { ApiKey } from '../../api/schema.ts';
import { sortedBy } from '../../components/column-sort.ts';
import { CsvExport } from '../../components/csv-export.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState, NoMatches } from '../../components/empty-state.tsx';
import {
  FilterRow,
  FilterSelect,
  FilterToggle,
  SearchField,
  ToggleGroup,
} from '../../components/filters.tsx';
import { countOf } from '../../components/format-numbers.ts';
import { Icon } from '../../components/icon.tsx';
import { LiveBar } from '../../components/live-bar.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Pager } from '../../components/pager.tsx';
import { pageSize, useCursorPages } from '../../components/use-cursor-pages.ts';
import { useApi, useCurrentApiKey } from '../../session/app-context.ts';
import { useNow } from '../../state/time.ts';
import type { ChangeFilter } from '../../state/use-address-filter.ts';
import { useEagerQuery } from '../../state/use-eager-query.ts';
import { useLiveRows } from '../../state/use-live-rows.ts';
import { apiKeyColumns, type OpenDialog } from './api-key-columns.tsx';
import {
  type ApiKeyFilter,
  everyKey,
  isNarrowed,
  type KeyCheck,
  keyCheckPart,
  keyChecks,
  toApiKeyQuery,
  useApiKeyFilter,
} from './api-key-filter.ts';
import { CurrentDialog } from './key-dialogs.tsx';

type ApiKeyPage = Answer<'get', '/api/v1/api-keys'>;

/** Lists all API keys: search, create, rotate and revoke. */
export default function ApiKeysPage() {
  const api = useApi();
  const { id: ownId } = useCurrentApiKey();
  const now = useNow();
  const [filter, setFilter] = useApiKeyFilter();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const query = toApiKeyQuery(filter);
  const table = useRef<HTMLDivElement>(null);
  const pages = useCursorPages(JSON.stringify(query));
  const params = { query: { ...query, limit: pageSize, cursor: pages.cursor } };
  const options = reading(api, '/api/v1/api-keys', params);
  const list = useEagerQuery({ ...options, placeholderData: keepPreviousData });
  const arrived = useLiveRows({
    topic: 'api-key',
    queryKey: options.queryKey,
    rowsOf: (page: ApiKeyPage) => page.api_keys,
    withRows: (page, rows) => ({ ...page, api_keys: [...rows] }),
    read: () => api.call('get', '/api/v1/api-keys', { params }),
    isFirst: pages.cursor === null && filter.sort === null,
  });
  const columns = useMemo(() => apiKeyColumns({ now, ownId, showDialog: setDialog }), [now, ownId]);
  // The old rows stay while the next page is being read, but they do not hide an error.
  const rows = list.isError ? undefined : list.data?.api_keys;
  return (
    <>
      <PageHead
        title="API keys"
        lead="Credentials of applications and people. Each key is shown in full once, when it is created."
        actions={<Acts filter={filter} onCreate={() => setDialog({ kind: 'create' })} />}
      />
      <FilterBar filter={filter} onChange={setFilter} />
      <LiveBar arrived={arrived} noun="keys" onShow={() => list.refetch()} />
      <DataTable
        frame={table}
        label="API keys"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        empty={<NoApiKeys filter={filter} onChange={setFilter} />}
        error={list.error}
        onRetry={() => list.refetch()}
        isUpdating={list.isPlaceholderData}
        sort={sortedBy(filter.sort, apiKeyOrders, (sort) => setFilter({ sort }))}
      />
      {rows && (
        <Pager
          pages={pages}
          table={table}
          nextCursor={list.data?.next_cursor ?? null}
          summary={countOf(rows.length, 'key')}
          total={list.data?.total}
          countedUpTo={countedUpTo.apiKeys}
        />
      )}
      {dialog && <CurrentDialog dialog={dialog} showDialog={setDialog} onClose={() => setDialog(null)} />}
    </>
  );
}

function Acts({ filter, onCreate }: { filter: ApiKeyFilter; onCreate: () => void }) {
  return (
    <>
      <ApiKeyExport filter={filter} />
      <Button leftSection={<Icon name="plus" size={18} />} onClick={onCreate}>
        Create a key
      </Button>
    </>
  );
}

const exported = [
  ['id', ({ id }: ApiKey) => id],
  ['name', ({ name }: ApiKey) => name],
  ['prefix', ({ keyPrefix }: ApiKey) => keyPrefix],
  ['scope', ({ scope }: ApiKey) => scope],
  ['created_at', ({ createdAt }: ApiKey) => createdAt],
  ['expires_at', ({ expiresAt }: ApiKey) => expiresAt],
  ['revoked_at', ({ revokedAt }: ApiKey) => revokedAt],
  ['last_used_at', ({ lastUsedAt }: ApiKey) => lastUsedAt],
] as const;

/** The most that the server gives at once. */
const rowsAtOnce = 500;

function ApiKeyExport({ filter }: { filter: ApiKeyFilter }) {
  const api = useApi();
  const query = { ...toApiKeyQuery(filter), limit: rowsAtOnce };
  return (
    <CsvExport
      noun="key"
      fileName="api-keys"
      columns={exported}
      read={async (cursor, signal) => {
        const params = { query: { ...query, cursor } };
        const page = await api.call('get', '/api/v1/api-keys', { params, signal });
        return { rows: page.api_keys, next: page.next_cursor };
      }}
    />
  );
}

const keyCheckNames: Record<KeyCheck, string> = {
  'never-expires': 'Never expires',
  'unused-90-days': 'Unused for 90 days',
  'expiring-14-days': 'Expires within 14 days',
};

interface FilterProps {
  filter: ApiKeyFilter;
  onChange: ChangeFilter<ApiKeyFilter>;
}

/** The filters of the table. */
const FilterBar = memo(function FilterBar({ filter, onChange }: FilterProps) {
  const search = useCallback((q: string) => onChange({ q }), [onChange]);
  return (
    <FilterRow>
      <SearchField label="Search name or key prefix" value={filter.q} onSearch={search} />
      <FilterSelect
        label="Status"
        values={apiKeyStatuses}
        value={filter.status}
        onChange={(status) => onChange({ status, check: null })}
      />
      <FilterSelect
        label="Scope"
        values={scopes}
        labelOf={(scope) => `Scope ${scope}`}
        value={filter.scope}
        onChange={(scope) => onChange({ scope })}
      />
      <ToggleGroup label="Checks">
        {keyChecks.map((check) => (
          <FilterToggle
            key={check}
            isOn={filter.check === check}
            onToggle={(isOn) => onChange(keyCheckPart(isOn ? check : null))}
          >
            {keyCheckNames[check]}
          </FilterToggle>
        ))}
        <FilterToggle
          isOn={filter.scope === 'admin'}
          onToggle={(isOn) => onChange({ scope: isOn ? 'admin' : null })}
        >
          Admin scope
        </FilterToggle>
      </ToggleGroup>
    </FilterRow>
  );
});

/** Shown without rows: the filter matches nothing, or there are no keys. */
function NoApiKeys({ filter, onChange }: FilterProps) {
  if (isNarrowed(filter))
    return (
      <NoMatches title="No matching keys" onReset={() => onChange(everyKey)}>
        The search covers names and key prefixes (lk_ and the next eight characters).
      </NoMatches>
    );
  return (
    <EmptyState icon="key" title="No stored keys">
      You are signed in with ADMIN_API_KEY from the configuration. Create your own key, then remove that
      variable.
    </EmptyState>
  );
}
