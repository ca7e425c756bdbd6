import { Button } from '@mantine/core';
import type { Webhook, WebhookDelivery } from '../../api/schema.ts';
import { StatusBadge } from '../../components/badge.tsx';
import { CodeBlock, CopyableValue } from '../../components/copying.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { FactList, type Facts, NotSet } from '../../components/fact-list.tsx';
import { formatCount } from '../../components/format-numbers.ts';
import { formatExact } from '../../components/format-time.ts';
import { useApi } from '../../session/app-context.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { describeLastTry, nameOfEvent } from './webhook-words.ts';
import styles from './webhooks.module.css';

interface DeliveryDialogProps {
  webhook: Webhook;
  delivery: WebhookDelivery;
  onClose: () => void;
}

/** A delivery with its payload. It can be sent again. */
export function DeliveryDialog({ webhook, delivery, onClose }: DeliveryDialogProps) {
  const api = useApi();
  const replay = useServerAction({
    mutationFn: () =>
      api.call('post', '/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay', {
        params: { path: { id: webhook.id, deliveryId: delivery.id } },
        body: {},
      }),
    changes: ['/api/v1/webhooks'],
    said: webhook.status === 'paused' ? 'Sent again once resumed' : 'Sent again',
    onSuccess: onClose,
  });
  return (
    <Dialog title="Delivery" onClose={onClose} width="42rem">
      <FactList facts={factsOf(delivery)} />
      <CodeBlock text={JSON.stringify(delivery.payload, null, 2)} what="payload" />
      <ErrorNotice error={replay.error} />
      <DialogActions>
        <Button variant="default" onClick={() => replay.mutate()} loading={replay.isPending}>
          Replay
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function factsOf(delivery: WebhookDelivery): Facts {
  const { id, type, state, tries, createdAt, lastTryAt, nextTryAt } = delivery;
  const last = describeLastTry(delivery);
  return {
    Event: `${nameOfEvent(type)} (${type})`,
    State: <StatusBadge status={state} />,
    Tries: formatCount(tries),
    'Last answer': last === null ? <NotSet /> : <span className={styles.answer}>{last}</span>,
    Enqueued: formatExact(createdAt),
    'Last try': lastTryAt === null ? <NotSet /> : formatExact(lastTryAt),
    'Next try': nextTryAt !== null && formatExact(nextTryAt),
    'webhook-id': <CopyableValue text={id} what="webhook-id" />,
  };
}
