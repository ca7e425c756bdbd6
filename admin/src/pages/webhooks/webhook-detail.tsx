import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keyOf, reading } from '../../api/api.ts';
import type { Webhook } from '../../api/schema.ts';
import { StatusBadge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { CopyableValue } from '../../components/copying.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice, ErrorState } from '../../components/errors.tsx';
import { FactList, type Facts } from '../../components/fact-list.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { Notice } from '../../components/notice.tsx';
import { PageHead, PageSkeleton } from '../../components/page-head.tsx';
import { BackLink } from '../../components/section.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { useApi } from '../../session/app-context.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { useSteadyError } from '../../state/use-steady-error.ts';
import { Deliveries } from './deliveries.tsx';
import { DeleteWebhookDialog, RotateSecretDialog, WebhookFormDialog } from './webhook-dialogs.tsx';
import { nameOfEvent } from './webhook-words.ts';

/** A receiver may pause it, and the count of what waits falls. */
const everyMs = 5_000;

type OpenDialog = 'change' | 'rotate' | 'delete';

/** One webhook: what it is, what can be done with it, and its deliveries. */
export function WebhookDetail({ id }: { id: string }) {
  const api = useApi();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const onClose = () => setDialog(null);
  const options = reading(api, '/api/v1/webhooks/{id}', { path: { id } });
  const query = useQuery({ ...options, refetchInterval: everyMs });
  const { data, refetch } = query;
  const error = useSteadyError(query);
  return (
    <>
      <BackLink href="/webhooks">All webhooks</BackLink>
      {!data &&
        (error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <PageSkeleton title="Webhook" />
        ))}
      {data && (
        <>
          <PageHead title={data.name} actions={<WebhookActions webhook={data} onOpen={setDialog} />} />
          {data.pausedBy === 'receiver' && (
            <Notice kind="warning" title="The receiver wants no more messages">
              It answered 410, so the webhook was paused. Resume it once the receiver takes messages again.
            </Notice>
          )}
          <Card>
            <FactList facts={factsOf(data)} />
          </Card>
          <Deliveries webhook={data} />
          {dialog === 'change' && <ChangeDialog {...{ webhook: data, onClose }} />}
          {dialog === 'rotate' && <RotateSecretDialog {...{ webhook: data, onClose }} />}
          {dialog === 'delete' && <DeleteWebhookDialog {...{ webhook: data, onClose }} />}
        </>
      )}
    </>
  );
}

interface WebhookActionsProps {
  webhook: Webhook;
  onOpen: (dialog: OpenDialog) => void;
}

function WebhookActions({ webhook, onOpen }: WebhookActionsProps) {
  const api = useApi();
  const queries = useQueryClient();
  const isPaused = webhook.status === 'paused';
  const setStatus = useServerAction({
    mutationFn: () =>
      api.call('patch', '/api/v1/webhooks/{id}', {
        params: { path: { id: webhook.id } },
        body: { status: isPaused ? 'active' : 'paused' },
      }),
    // The button waits for the webhook that it is about.
    onSuccess: () => queries.invalidateQueries({ queryKey: keyOf('/api/v1/webhooks') }),
    said: ({ status }) => (status === 'paused' ? 'Webhook paused' : 'Webhook resumed'),
  });
  return (
    <>
      <ErrorNotice error={setStatus.error} />
      <Button variant="default" onClick={() => onOpen('change')}>
        Change…
      </Button>
      <Button variant="default" onClick={() => setStatus.mutate()} loading={setStatus.isPending}>
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <Button variant="default" onClick={() => onOpen('rotate')}>
        Rotate the secret…
      </Button>
      <Button variant="light" color="bad" onClick={() => onOpen('delete')}>
        Delete…
      </Button>
    </>
  );
}

/** Opens once the listed origins are known. */
function ChangeDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const api = useApi();
  const { data, error, refetch } = useQuery(reading(api, '/api/v1/webhooks', {}));
  if (data) return <WebhookFormDialog webhook={webhook} origins={data.origins} onClose={onClose} />;
  if (!error) return null;
  return (
    <Dialog title="Change the webhook" onClose={onClose}>
      <ErrorState error={error} onRetry={() => void refetch()} />
    </Dialog>
  );
}

function factsOf({ url, id, events, status, pending, dropped, ...times }: Webhook): Facts {
  const { createdAt, previousSecretUntil } = times;
  return {
    URL: <CopyableValue text={url} what="URL" />,
    Status: <StatusBadge status={status} />,
    Events: events.map(nameOfEvent).join(', '),
    Waiting: formatCount(pending),
    Dropped: dropped > 0 && `${formatCount(dropped)} events, because 10,000 messages waited`,
    'Old secret until': previousSecretUntil !== null && <RelativeTime at={previousSecretUntil} isFocusable />,
    Added: <RelativeTime at={createdAt} isFocusable />,
    ID: <CopyableValue text={id} what="ID" />,
  };
}
