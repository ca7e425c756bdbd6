import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useRoute } from 'wouter';
import type { QueryOf } from '../../api/api.ts';
import { apiKeyOrders, apiKeyStatuses, countedUpTo, scopes } from '../../api/resources.ts';
import type { ApiKey } from '../../api/schema.ts';
import { sortedBy } from '../../components/column-sort.ts';
import { CsvExport } from '../../components/csv-export.tsx';
import { EmptyState, NoMatches } from '../../components/empty-state.tsx';
import { FilterSelect, FilterToggle, SearchField, ToggleGroup } from '../../components/filters.tsx';
import { Icon } from '../../components/icon.tsx';
import { ResourcePage } from '../../components/resource-page.tsx';
import { pageSize, useCursorPages } from '../../components/use-cursor-pages.ts';
import { useApi, useCurrentApiKey } from '../../session/app-context.ts';
import { useFilter } from '../../state/use-address-filter.ts';
import { useLiveListPage } from '../../state/use-list-page.ts';
import { apiKeyColumns, type OpenDialog } from './api-key-columns.tsx';
import { ApiKeyDetail } from './api-key-detail.tsx';
import { apiKeyFilter, keyCheckPart, keyChecks, toApiKeyQuery } from './api-key-filter.ts';
import { CurrentDialog } from './key-dialogs.tsx';

const path = '/api/v1/api-keys';

/** The list of API keys, or one key. */
export default function ApiKeysPage() {
  const [, one] = useRoute('/api-keys/:id');
  return one ? <ApiKeyDetail key={one.id} id={one.id} /> : <ApiKeyList />;
}

/** Lists all API keys: search, create, rotate and revoke. */
function ApiKeyList() {
  const { id: ownId } = useCurrentApiKey();
  const { filter, change, field, isNarrowed, reset } = useFilter(apiKeyFilter);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const query = toApiKeyQuery(filter);
  const pages = useCursorPages(JSON.stringify(query));
  const list = useLiveListPage(
    path,
    'api_keys',
    { query: { ...query, limit: pageSize, cursor: pages.cursor } },
    'api-key',
  );
  const columns = useMemo(() => apiKeyColumns(ownId, setDialog), [ownId]);
  return (
    <ResourcePage
      title="API keys"
      lead="Credentials of applications and people. Each key is shown in full once, when it is created."
      actions={
        <>
          <ApiKeyExport query={query} />
          <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setDialog({ kind: 'create' })}>
            Create a key
          </Button>
        </>
      }
      filters={
        <>
          <SearchField label="Search name or key prefix" {...field('q')} />
          <FilterSelect
            label="Status"
            values={apiKeyStatuses}
            value={filter.status}
            onChange={(status) => change({ status, filter: null })}
          />
          <FilterSelect
            label="Scope"
            values={scopes}
            labelOf={(scope) => `Scope ${scope}`}
            {...field('scope')}
          />
          <ToggleGroup label="Checks">
            {keyChecks.map(({ check, name }) => (
              <FilterToggle
                key={check}
                isOn={filter.filter === check}
                onToggle={(isOn) => change(keyCheckPart(isOn ? check : null))}
              >
                {name}
              </FilterToggle>
            ))}
            <FilterToggle
              isOn={filter.scope === 'admin'}
              onToggle={(isOn) => change({ scope: isOn ? 'admin' : null })}
            >
              Admin scope
            </FilterToggle>
          </ToggleGroup>
        </>
      }
      label="API keys"
      noun="key"
      {...{ list, pages, columns }}
      countedUpTo={countedUpTo.apiKeys}
      sort={sortedBy(filter.sort, apiKeyOrders, (sort) => change({ sort }))}
      empty={
        isNarrowed ? (
          <NoMatches title="No matching keys" onReset={reset}>
            The search covers names and key prefixes (lk_ and the next eight characters).
          </NoMatches>
        ) : (
          <EmptyState icon="key" title="No stored keys">
            You are signed in with ADMIN_API_KEY from the configuration. Create your own key, then remove that
            variable.
          </EmptyState>
        )
      }
    >
      {dialog && <CurrentDialog dialog={dialog} onClose={() => setDialog(null)} />}
    </ResourcePage>
  );
}

/** Header and member of each column. */
const exported = {
  id: 'id',
  name: 'name',
  prefix: 'keyPrefix',
  scope: 'scope',
  created_at: 'createdAt',
  expires_at: 'expiresAt',
  revoked_at: 'revokedAt',
  last_used_at: 'lastUsedAt',
} as const satisfies Record<string, keyof ApiKey>;

function ApiKeyExport({ query }: { query: QueryOf<typeof path> }) {
  const api = useApi();
  return (
    <CsvExport<ApiKey>
      noun="key"
      fileName="api-keys"
      columns={exported}
      read={async (cursor, limit, signal) => {
        const params = { query: { ...query, limit, cursor } };
        const page = await api.call('get', path, { params, signal });
        return { rows: page.api_keys, next: page.next_cursor };
      }}
    />
  );
}
