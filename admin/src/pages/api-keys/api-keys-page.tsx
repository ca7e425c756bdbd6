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
import { apiKeyColumns, type OpenDialog, type ShowDialog } from './api-key-columns.tsx';
import { type ApiKeyFilter, isNarrowed, toApiKeyQuery, useApiKeyFilter } from './api-key-filter.ts';
import { CreateDialog } from './create-dialog.tsx';
import { DetailsDialog } from './details-dialog.tsx';
import { FilterBar } from './filter-bar.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';

/** Fills two windows, and is quick to read and draw. */
const pageSize = 50;

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
  const queryKey = queryKeys.apiKeyPage(query, pages.cursor);
  const read = (signal?: AbortSignal) =>
    listApiKeys(api, { ...query, limit: pageSize, cursor: pages.cursor ?? undefined }, signal);
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
  const columns = useMemo(() => apiKeyColumns({ now, ownId, showDialog: setDialog }), [now, ownId]);
  const create = (
    <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setDialog({ kind: 'create' })}>
      Create a key
    </Button>
  );
  // The old rows stay while the next page is being read, but they do not hide an error.
  const rows = list.isError ? undefined : list.data?.api_keys;
  return (
    <>
      <PageHead
        title="API keys"
        lead="Credentials of applications and people. Each key is shown in full once, when it is created."
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
      {dialog && <CurrentDialog dialog={dialog} showDialog={setDialog} onClose={() => setDialog(null)} />}
    </>
  );
}

/** The open dialog. One dialog can open another. */
export function CurrentDialog({
  dialog,
  showDialog,
  onClose,
}: {
  dialog: OpenDialog;
  showDialog: ShowDialog;
  onClose: () => void;
}) {
  switch (dialog.kind) {
    case 'create':
      return <CreateDialog onClose={onClose} />;
    case 'details':
      return <DetailsDialog apiKey={dialog.apiKey} showDialog={showDialog} onClose={onClose} />;
    case 'rotate':
      return <RotateDialog apiKey={dialog.apiKey} onClose={onClose} />;
    case 'revoke':
      return <RevokeDialog apiKey={dialog.apiKey} onClose={onClose} />;
  }
}

const everything: ApiKeyFilter = { q: '', status: null, scope: null, check: null };

interface NoApiKeysProps {
  filter: ApiKeyFilter;
  onReset: (change: () => ApiKeyFilter) => void;
}

/** Shown without rows: the filter matches nothing, or there are no keys. */
function NoApiKeys({ filter, onReset }: NoApiKeysProps) {
  if (!isNarrowed(filter))
    return (
      <EmptyState icon="key" title="No stored keys">
        You are signed in with ADMIN_API_KEY from the configuration. Create your own key, then remove that
        variable.
      </EmptyState>
    );
  const reset = (
    <Button variant="default" onClick={() => onReset(() => everything)}>
      Clear the filters
    </Button>
  );
  return (
    <EmptyState icon="search" title="No matching keys" action={reset}>
      The search covers names and key prefixes (lk_ and the next eight characters).
    </EmptyState>
  );
}
