import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { type ApiKeyPage, listApiKeys } from '../../api/api-keys.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { LiveBar } from '../../components/live-bar.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Pager } from '../../components/pager.tsx';
import { useCursorPages } from '../../components/use-cursor-pages.ts';
import { useApi, useCurrentApiKey } from '../../session/app-context.ts';
import { useNow } from '../../state/time.ts';
import { useLiveRows } from '../../state/use-live-rows.ts';
import { type Act, apiKeyColumns, type Begin } from './api-key-columns.tsx';
import { type ApiKeyFilter, isNarrowed, toApiKeyQuery, useApiKeyFilter } from './api-key-filter.ts';
import { CreateDialog } from './create-dialog.tsx';
import { DetailsDialog } from './details-dialog.tsx';
import { FilterBar } from './filter-bar.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';

/** What fits two windows: drawn at once, and soon fetched. */
const pageSize = 50;

/** Every API key: found, made, replaced and ended here. */
export default function ApiKeysPage() {
  const api = useApi();
  const { id: ownId } = useCurrentApiKey();
  const now = useNow();
  const [filter, setFilter] = useApiKeyFilter();
  const [act, setAct] = useState<Act | null>(null);
  const asked = toApiKeyQuery(filter);
  const table = useRef<HTMLDivElement>(null);
  const pages = useCursorPages(JSON.stringify(asked));
  const queryKey = queryKeys.apiKeyPage(asked, pages.cursor);
  const read = (signal?: AbortSignal) =>
    listApiKeys(api, { ...asked, limit: pageSize, cursor: pages.cursor ?? undefined }, signal);
  const list = useQuery({
    queryKey,
    queryFn: ({ signal }) => read(signal),
    placeholderData: keepPreviousData,
  });
  const { stream, arrived } = useLiveRows({
    topic: 'api-key',
    queryKey,
    rowsOf: (page: ApiKeyPage) => page.api_keys,
    withRows: (page, rows) => ({ ...page, api_keys: [...rows] }),
    read,
    isFirst: pages.cursor === null,
    isAllowed: true,
  });
  const columns = useMemo(() => apiKeyColumns({ now, ownId, begin: setAct }), [now, ownId]);
  const create = (
    <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setAct({ kind: 'create' })}>
      Create a key
    </Button>
  );
  // What was shown before stays while the next is on its way, but an error is not hidden behind it.
  const rows = list.isError ? undefined : list.data?.api_keys;
  return (
    <>
      <PageHead
        title="API keys"
        lead="What applications and people act with. Each is shown in full once, when it is made."
        actions={create}
      />
      <FilterBar filter={filter} onChange={setFilter} />
      <LiveBar stream={stream} arrived={arrived} noun="keys" onShow={() => list.refetch()} />
      <DataTable
        frame={table}
        label="API keys"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        empty={<NoApiKeys filter={filter} onReset={setFilter} />}
        error={list.error}
        onRetry={() => list.refetch()}
        isUpdating={list.isPlaceholderData}
      />
      {rows && (
        <Pager
          pages={pages}
          table={table}
          nextCursor={list.data?.next_cursor ?? null}
          summary={`${rows.length} ${rows.length === 1 ? 'key' : 'keys'}`}
        />
      )}
      {act && <ActDialog act={act} begin={setAct} onClose={() => setAct(null)} />}
    </>
  );
}

/** The dialog of an act; one may lead to another. */
export function ActDialog({ act, begin, onClose }: { act: Act; begin: Begin; onClose: () => void }) {
  switch (act.kind) {
    case 'create':
      return <CreateDialog onClose={onClose} />;
    case 'details':
      return <DetailsDialog apiKey={act.apiKey} begin={begin} onClose={onClose} />;
    case 'rotate':
      return <RotateDialog apiKey={act.apiKey} onClose={onClose} />;
    case 'revoke':
      return <RevokeDialog apiKey={act.apiKey} onClose={onClose} />;
  }
}

const everything: ApiKeyFilter = { q: '', status: null, scope: null, concern: null };

interface NoApiKeysProps {
  filter: ApiKeyFilter;
  onReset: (change: () => ApiKeyFilter) => void;
}

/** Where no key is shown: because of the filter, or because there is none. */
function NoApiKeys({ filter, onReset }: NoApiKeysProps) {
  if (!isNarrowed(filter))
    return (
      <EmptyState icon="key" title="No key is stored">
        You are signed in with ADMIN_API_KEY of the configuration. Create a key of your own, and take that
        variable away.
      </EmptyState>
    );
  const reset = (
    <Button variant="default" onClick={() => onReset(() => everything)}>
      Show every key
    </Button>
  );
  return (
    <EmptyState icon="search" title="No key is like that" action={reset}>
      The search looks into names, and at the beginning of keys (lk_ and the next eight characters).
    </EmptyState>
  );
}
