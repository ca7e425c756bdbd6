import { Box, Button, Flex } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type Answer, reading } from '../../api/api.ts';
import { deliveryStates } from '../../api/resources.ts';
import type { Webhook, WebhookDelivery } from '../../api/schema.ts';
import { wordOfStatus } from '../../components/badge.tsx';
import { EmptyState, NoMatches } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { FilterSelect } from '../../components/filters.tsx';
import { Notice } from '../../components/notice.tsx';
import { ResourceList } from '../../components/resource-page.tsx';
import { Section } from '../../components/section.tsx';
import { pageSize, useCursorPages } from '../../components/use-cursor-pages.ts';
import { useApi } from '../../session/app-context.ts';
import { useListPage } from '../../state/use-list-page.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { deliveryColumns } from './delivery-columns.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { groupDeliveries } from './group-deliveries.ts';
import { describeTest } from './webhook-words.ts';

/** Soon enough to see what came of a test or a replay. */
const everyMs = 2_000;

const path = '/api/v1/webhooks/{id}/deliveries';

/** The deliveries to a webhook, and a button that sends a test. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const [state, setState] = useState<WebhookDelivery['state'] | null>(null);
  const [opened, setOpened] = useState<string | null>(null);
  const query = { state, limit: pageSize };
  const pages = useCursorPages(JSON.stringify([webhook.id, query]));
  const list = useListPage(
    path,
    'deliveries',
    { path: { id: webhook.id }, query: { ...query, cursor: pages.cursor } },
    { refetchInterval: everyMs },
  );
  const [ungrouped, setUngrouped] = useState<ReadonlySet<string>>(new Set());
  const columns = useMemo(
    () =>
      deliveryColumns({
        open: ({ id }) => setOpened(id),
        showAlike: ({ id }) => setUngrouped((before) => new Set([...before, id])),
      }),
    [],
  );
  const rows = useMemo(() => list.rows && groupDeliveries(list.rows, ungrouped), [list.rows, ungrouped]);
  const shown = list.rows?.find(({ id }) => id === opened);
  return (
    <Section title="Deliveries">
      <TestBar webhook={webhook} />
      <ResourceList
        filters={
          <FilterSelect
            label="State"
            values={deliveryStates}
            labelOf={wordOfStatus}
            value={state}
            onChange={setState}
          />
        }
        label="Deliveries"
        noun="message"
        {...{ pages, columns }}
        list={{ ...list, rows }}
        count={list.rows?.length}
        empty={
          state === null ? (
            <EmptyState icon="webhook" title="No deliveries">
              Each event that this webhook wants appears here. Send a test to see one.
            </EmptyState>
          ) : (
            <NoMatches title="No matching deliveries" onReset={() => setState(null)}>
              Deliveries are kept for days after they ended.
            </NoMatches>
          )
        }
      />
      {shown && <DeliveryDialog webhook={webhook} delivery={shown} onClose={() => setOpened(null)} />}
    </Section>
  );
}

/** Sends a test and shows its result. */
function TestBar({ webhook }: { webhook: Webhook }) {
  const api = useApi();
  const [tested, setTested] = useState<WebhookDelivery | null>(null);
  const test = useServerAction({
    mutationFn: () =>
      api.call('post', '/api/v1/webhooks/{id}/test', { params: { path: { id: webhook.id } }, body: {} }),
    changes: [path],
    onSuccess: ({ delivery }) => setTested(delivery),
  });
  const latest = useLatest(webhook.id, tested);
  const isPaused = webhook.status === 'paused';
  const result = tested && describeTest(latest.delivery ?? tested, latest.isError);
  return (
    <Flex wrap="wrap" align="center" gap="0.75rem" mb="1rem">
      <Button variant="default" onClick={() => test.mutate()} loading={test.isPending} disabled={isPaused}>
        Send a test
      </Button>
      <Box role="status" miw={0}>
        {isPaused && <span className="quiet">A paused webhook sends nothing.</span>}
        {!isPaused && result && (
          <Notice kind={result.kind} role="none">
            {result.text}
          </Notice>
        )}
      </Box>
      <ErrorNotice error={test.error} />
    </Flex>
  );
}

/** The latest state of a delivery. It is read separately, because a filter or another page may hide its row. */
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
