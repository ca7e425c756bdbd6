import { Button } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { type Answer, keyOf, reading } from '../../api/api.ts';
import { deliveryStates } from '../../api/resources.ts';
import type { Webhook, WebhookDelivery } from '../../api/schema.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState, NoMatches } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { FilterRow, FilterSelect } from '../../components/filters.tsx';
import { countOf } from '../../components/format-numbers.ts';
import { Notice } from '../../components/notice.tsx';
import { Pager } from '../../components/pager.tsx';
import { pageSize, useCursorPages } from '../../components/use-cursor-pages.ts';
import { useApi } from '../../session/app-context.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { deliveryColumns } from './delivery-columns.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { wordOfState } from './webhook-status.tsx';
import { describeTest } from './webhook-words.ts';
import styles from './webhooks.module.css';

/** Soon enough to see what came of a test or a replay. */
const everyMs = 2_000;

const path = '/api/v1/webhooks/{id}/deliveries';

/** What was sent to a webhook, with a test. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const api = useApi();
  const [state, setState] = useState<WebhookDelivery['state'] | null>(null);
  const [opened, setOpened] = useState<string | null>(null);
  const table = useRef<HTMLDivElement>(null);
  const query = { state, limit: pageSize };
  const pages = useCursorPages(JSON.stringify([webhook.id, query]));
  const list = useQuery({
    ...reading(api, path, { path: { id: webhook.id }, query: { ...query, cursor: pages.cursor } }),
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
  });
  const columns = useMemo(() => deliveryColumns(({ id }) => setOpened(id)), []);
  const rows = list.isError ? undefined : list.data?.deliveries;
  const shown = rows?.find(({ id }) => id === opened);
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries" className={styles.heading}>
        Deliveries
      </h2>
      <TestBar webhook={webhook} />
      <FilterRow>
        <FilterSelect
          label="State"
          values={deliveryStates}
          labelOf={wordOfState}
          value={state}
          onChange={setState}
        />
      </FilterRow>
      <DataTable
        frame={table}
        label="Deliveries"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        empty={<NoDeliveries state={state} onReset={() => setState(null)} />}
        error={list.error}
        onRetry={() => void list.refetch()}
        isUpdating={list.isPlaceholderData}
      />
      {rows && (
        <Pager
          pages={pages}
          table={table}
          nextCursor={list.data?.next_cursor ?? null}
          summary={countOf(rows.length, 'message')}
        />
      )}
      {shown && <DeliveryDialog webhook={webhook} delivery={shown} onClose={() => setOpened(null)} />}
    </section>
  );
}

function NoDeliveries({ state, onReset }: { state: WebhookDelivery['state'] | null; onReset: () => void }) {
  if (state !== null)
    return (
      <NoMatches title="No matching deliveries" onReset={onReset}>
        Deliveries are kept for days after they ended.
      </NoMatches>
    );
  return (
    <EmptyState icon="webhook" title="No deliveries">
      Each event that this webhook wants appears here. Send a test to see one.
    </EmptyState>
  );
}

/** Sends a test, and says what came of it. */
function TestBar({ webhook }: { webhook: Webhook }) {
  const api = useApi();
  const queries = useQueryClient();
  const [tested, setTested] = useState<WebhookDelivery | null>(null);
  const test = useServerAction({
    mutationFn: () =>
      api.call('post', '/api/v1/webhooks/{id}/test', { params: { path: { id: webhook.id } }, body: {} }),
    onSuccess: ({ delivery }) => {
      setTested(delivery);
      void queries.invalidateQueries({ queryKey: keyOf(path) });
    },
  });
  const latest = useLatest(webhook.id, tested);
  const isPaused = webhook.status === 'paused';
  const result = tested && describeTest(latest.delivery ?? tested, latest.isError);
  return (
    <div className={styles.test}>
      <Button variant="default" onClick={() => test.mutate()} loading={test.isPending} disabled={isPaused}>
        Send a test
      </Button>
      <div role="status" className={styles.result}>
        {isPaused && <span className={styles.quiet}>A paused webhook sends nothing.</span>}
        {!isPaused && result && (
          <Notice kind={result.kind} role="none">
            {result.text}
          </Notice>
        )}
      </div>
      <ErrorNotice error={test.error} />
    </div>
  );
}

/** What came of a delivery since. Read for itself, because a filter or another page may hide its row. */
function useLatest(webhookId: string, sent: WebhookDelivery | null) {
  const api = useApi();
  const query = { state: null, limit: pageSize, cursor: null };
  const findIn = (page: Answer<'get', typeof path> | undefined) =>
    page?.deliveries.find(({ id }) => id === sent?.id);
  const { data, isError } = useQuery({
    // Without a filter, the list above has read it already.
    ...reading(api, path, { path: { id: webhookId }, query }),
    enabled: sent !== null,
    refetchInterval: ({ state }) => (findIn(state.data)?.endedAt ? false : everyMs),
  });
  return { delivery: findIn(data), isError };
}
