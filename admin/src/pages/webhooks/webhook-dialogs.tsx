import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { keyOf } from '../../api/api.ts';
import type { Webhook } from '../../api/schema.ts';
import { Dialog, DialogActions, TypedConfirmation } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
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
  const queries = useQueryClient();
  const rotate = useServerAction({
    mutationFn: () =>
      api.call('post', '/api/v1/webhooks/{id}/rotate-secret', {
        params: { path: { id: webhook.id } },
        body: {},
      }),
    onSuccess: ({ secret, webhook: { name, previousSecretUntil } }) => {
      void queries.invalidateQueries({ queryKey: keyOf(path) });
      const note = `Messages are signed with the old secret too until ${formatExact(previousSecretUntil)}.`;
      issuedKey.set({ kind: 'webhook', name, raw: secret ?? '', note });
      onClose();
    },
  });
  return (
    <Dialog title="Rotate the secret" onClose={onClose}>
      <p>
        <OutsideText text={webhook.name} /> gets a new secret. For 24 hours each message carries a signature
        of the old one, too. Put the new one into the receiver before that.
      </p>
      <ErrorNotice error={rotate.error} />
      <DialogActions onCancel={onClose}>
        <Button onClick={() => rotate.mutate()} loading={rotate.isPending} data-autofocus>
          Rotate the secret
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** What must be typed: names may be long, or impossible on a keyboard. */
const confirmedBy = 'delete';

/** Deletes a webhook with its deliveries. */
export function DeleteWebhookDialog({ webhook, onClose }: WebhookDialogProps) {
  const api = useApi();
  const { toasts } = useApp();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const remove = useServerAction({
    mutationFn: () => api.call('delete', '/api/v1/webhooks/{id}', { params: { path: { id: webhook.id } } }),
    onSuccess: () => {
      navigate('/webhooks');
      void queries.invalidateQueries({ queryKey: keyOf(path) });
      toasts.announce('Webhook deleted');
      onClose();
    },
  });
  return (
    <TypedConfirmation
      title="Delete this webhook"
      expected={confirmedBy}
      action="Delete the webhook"
      isBusy={remove.isPending}
      error={remove.error}
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
