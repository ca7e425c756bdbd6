import { useLocation } from 'wouter';
import type { Webhook } from '../../api/schema.ts';
import { ActionDialog, TypedConfirmation } from '../../components/dialog.tsx';
import { formatExact } from '../../components/format-time.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { useApi, useApp } from '../../session/app-context.ts';
import { useServerAction } from '../../state/use-server-action.ts';

const path = '/api/v1/webhooks';

interface WebhookDialogProps {
  webhook: Webhook;
  onClose: () => void;
}

/** Replaces the secret. The old one signs too for a day. */
export function RotateSecretDialog({ webhook, onClose }: WebhookDialogProps) {
  const api = useApi();
  const { issuedKey } = useApp();
  const rotate = useServerAction({
    mutationFn: () =>
      api.call('post', '/api/v1/webhooks/{id}/rotate-secret', {
        params: { path: { id: webhook.id } },
        body: {},
      }),
    changes: [path],
    onSuccess: ({ secret, webhook: { name, previousSecretUntil } }) => {
      const note = `Messages are signed with the old secret too until ${formatExact(previousSecretUntil)}.`;
      issuedKey.set({ kind: 'webhook', name, raw: secret ?? '', note });
      onClose();
    },
  });
  return (
    <ActionDialog title="Rotate the secret" action="Rotate the secret" act={rotate} onClose={onClose}>
      <p>
        <OutsideText text={webhook.name} /> gets a new secret. For 24 hours each message carries a signature
        of the old one, too. Put the new one into the receiver before that.
      </p>
    </ActionDialog>
  );
}

/** The word that must be typed. Names may be long, or impossible to type on a keyboard. */
const confirmedBy = 'delete';

/** Deletes a webhook with its deliveries. */
export function DeleteWebhookDialog({ webhook, onClose }: WebhookDialogProps) {
  const api = useApi();
  const [, navigate] = useLocation();
  const remove = useServerAction({
    mutationFn: () => api.call('delete', '/api/v1/webhooks/{id}', { params: { path: { id: webhook.id } } }),
    changes: [path],
    said: 'Webhook deleted',
    onSuccess: () => {
      navigate('/webhooks');
      onClose();
    },
  });
  return (
    <TypedConfirmation
      title="Delete this webhook"
      expected={confirmedBy}
      action="Delete the webhook"
      act={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        <OutsideText text={webhook.name} /> gets no more events. What waits is not sent, and its deliveries
        are removed. This cannot be undone.
      </p>
    </TypedConfirmation>
  );
}
