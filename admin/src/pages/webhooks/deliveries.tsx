import { Box, Button, Flex } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type Answer, reading } from '../../api/api.ts';
import { deliveryStates } from '../../api/resources.ts';
import type { Webhook, WebhookDelivery } from '../../api/schema.ts';
import { StatusBadge, wordOfStatus } from '../../components/badge.tsx';
import cell from '../../components/cell.module.css';
import { CodeBlock, CopyableValue } from '../../components/copying.tsx';
import type { Column } from '../../components/data-table.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { EmptyState, NoMatches } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { FactList, NotSet } from '../../components/fact-list.tsx';
import { FilterSelect } from '../../components/filters.tsx';
import { countOf, formatCount } from '../../components/format-numbers.ts';
import { formatExact } from '../../components/format-time.ts';
import { Notice } from '../../components/notice.tsx';
import { ResourceList } from '../../components/resource-page.tsx';
import { Section } from '../../components/section.tsx';
import { Countdown, RelativeTime } from '../../components/times.tsx';
import { pageSize, useCursorPages } from '../../components/use-cursor-pages.ts';
import { useApi } from '../../session/app-context.ts';
import { useListPage } from '../../state/use-list-page.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { type DeliveryRow, groupDeliveries } from './group-deliveries.ts';
import { describeLastTry, describeTest, nameOfEvent } from './webhook-words.ts';
import styles from './webhooks.module.css';

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
    () => deliveryColumns(setOpened, (id) => setUngrouped((before) => new Set([...before, id]))),
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

/**
 * @param open shows a delivery with its payload
 * @param showAlike shows the deliveries that are grouped with one
 */
function deliveryColumns(open: (id: string) => void, showAlike: (id: string) => void): Column<DeliveryRow>[] {
  return [
    {
      header: 'Event',
      cell: ({ id, type, createdAt, alike }) => (
        <span className={cell.stack}>
          <button type="button" className={cell.name} onClick={() => open(id)}>
            {nameOfEvent(type)}
          </button>
          <small>
            <RelativeTime at={createdAt} />
          </small>
          {alike > 0 && (
            <button type="button" className={styles.alike} onClick={() => showAlike(id)}>
              Show {countOf(alike, 'earlier one')} with the same failure
            </button>
          )}
        </span>
      ),
    },
    { header: 'State', width: '8rem', cell: ({ state }) => <StatusBadge status={state} /> },
    { header: 'Tries', width: '5rem', cell: ({ tries }) => formatCount(tries) },
    { header: 'Last answer', width: '18rem', cell: (delivery) => <LastAnswer delivery={delivery} /> },
    {
      header: 'Next try',
      width: '8.5rem',
      cell: ({ nextTryAt }) => (nextTryAt === null ? <NotSet /> : <Countdown at={nextTryAt} ended="now" />),
    },
  ];
}

function LastAnswer({ delivery }: { delivery: WebhookDelivery }) {
  return <span className={styles.answer}>{describeLastTry(delivery) ?? <NotSet />}</span>;
}

interface DeliveryDialogProps {
  webhook: Webhook;
  delivery: WebhookDelivery;
  onClose: () => void;
}

/** A delivery with its payload. It can be sent again. */
function DeliveryDialog({ webhook, delivery, onClose }: DeliveryDialogProps) {
  const api = useApi();
  const { id, type, state, tries, createdAt, lastTryAt, nextTryAt, payload } = delivery;
  const replay = useServerAction({
    mutationFn: () =>
      api.call('post', '/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay', {
        params: { path: { id: webhook.id, deliveryId: id } },
        body: {},
      }),
    changes: [path],
    said: webhook.status === 'paused' ? 'Sent again once resumed' : 'Sent again',
    onSuccess: onClose,
  });
  return (
    <Dialog title="Delivery" onClose={onClose} width="42rem">
      <FactList
        facts={{
          Event: `${nameOfEvent(type)} (${type})`,
          State: <StatusBadge status={state} />,
          Tries: formatCount(tries),
          'Last answer': <LastAnswer delivery={delivery} />,
          Enqueued: formatExact(createdAt),
          'Last try': lastTryAt === null ? <NotSet /> : formatExact(lastTryAt),
          'Next try': nextTryAt !== null && formatExact(nextTryAt),
          'webhook-id': <CopyableValue text={id} what="webhook-id" />,
        }}
      />
      <CodeBlock text={JSON.stringify(payload, null, 2)} what="payload" />
      <ErrorNotice error={replay.error} />
      <DialogActions>
        <Button variant="default" onClick={() => replay.mutate()} loading={replay.isPending}>
          Replay
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Sends a test and shows its result. */
function TestBar({ webhook: { id, status } }: { webhook: Webhook }) {
  const api = useApi();
  const [sent, setSent] = useState<WebhookDelivery | null>(null);
  const test = useServerAction({
    mutationFn: () => api.call('post', '/api/v1/webhooks/{id}/test', { params: { path: { id } }, body: {} }),
    changes: [path],
    onSuccess: ({ delivery }) => setSent(delivery),
  });
  const findSent = (page: Answer<'get', typeof path> | undefined) =>
    page?.deliveries.find((delivery) => delivery.id === sent?.id);
  // Read separately, because a filter or another page may hide its row. Without a filter, the list has read it already.
  const latest = useQuery({
    ...reading(api, path, { path: { id }, query: { state: null, limit: pageSize, cursor: null } }),
    enabled: sent !== null,
    refetchInterval: ({ state }) => (findSent(state.data)?.endedAt ? false : everyMs),
  });
  const isPaused = status === 'paused';
  const result = sent && describeTest(findSent(latest.data) ?? sent, latest.isError);
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
