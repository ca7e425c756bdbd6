import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { reading } from '../../api/api.ts';
import type { Webhook } from '../../api/schema.ts';
import { StatusBadge } from '../../components/badge.tsx';
import cell from '../../components/cell.module.css';
import type { Column } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { Icon } from '../../components/icon.tsx';
import { OutsideText } from '../../components/outside-text.tsx';
import { ResourcePage } from '../../components/resource-page.tsx';
import { useApi } from '../../session/app-context.ts';
import { useSteadyError } from '../../state/use-steady-error.ts';
import { WebhookDetail } from './webhook-detail.tsx';
import { WebhookFormDialog } from './webhook-dialogs.tsx';
import { addressOfWebhook, nameOfEvent } from './webhook-words.ts';

/** A count of what waits is no more exact than this. */
const everyMs = 10_000;

/** The webhooks, or one of them with its deliveries. */
export default function WebhooksPage() {
  const [params] = useSearchParams();
  const id = params.get('webhook');
  return id ? <WebhookDetail key={id} id={id} /> : <WebhookList />;
}

function WebhookList() {
  const api = useApi();
  const [isAdding, setAdding] = useState(false);
  const query = useQuery({ ...reading(api, '/api/v1/webhooks', {}), refetchInterval: everyMs });
  const { data, refetch } = query;
  const error = useSteadyError(query);
  const isOff = data?.origins.length === 0;
  const add = (
    <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setAdding(true)} disabled={!data}>
      Add a webhook
    </Button>
  );
  return (
    <ResourcePage
      title="Webhooks"
      lead="Signed events to your own receivers: revocations, limits, expiring keys and alerts."
      actions={isOff ? null : add}
      label="Webhooks"
      noun="webhook"
      columns={columns}
      list={{ rows: data?.webhooks, error, reload: () => void refetch() }}
      empty={
        isOff ? (
          <EmptyState icon="webhook" title="Webhooks are off">
            This server sends no events. Set <code>WEBHOOK_ORIGINS</code> to the origins of your receivers,
            such as <code>https://hooks.example.com</code>, and restart the auth service or the single node.
          </EmptyState>
        ) : (
          <EmptyState icon="webhook" title="No webhooks">
            A webhook gets each event as a signed HTTP request, within seconds. Add one, and send it a test.
          </EmptyState>
        )
      }
    >
      {isAdding && data && (
        <WebhookFormDialog webhook={null} origins={data.origins} onClose={() => setAdding(false)} />
      )}
    </ResourcePage>
  );
}

const columns: readonly Column<Webhook>[] = [
  {
    header: 'Name',
    cell: (webhook) => (
      <span className={cell.stack}>
        <Link href={addressOfWebhook(webhook)}>
          <OutsideText text={webhook.name} />
        </Link>
        <small>
          <OutsideText text={webhook.url} />
        </small>
      </span>
    ),
  },
  { header: 'Events', width: '16rem', cell: ({ events }) => events.map(nameOfEvent).join(', ') },
  { header: 'Status', width: '8rem', cell: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Waiting', width: '6.5rem', cell: ({ pending }) => formatCount(pending) },
];
