import { Checkbox, Flex, TextInput } from '@mantine/core';
import { useLocation } from 'wouter';
import { webhookEvents } from '../../api/resources.ts';
import type { Webhook } from '../../api/schema.ts';
import { ActionDialog, FormDialog, TypedConfirmation } from '../../components/dialog.tsx';
import { formatExact } from '../../components/format-time.ts';
import { OutsideText } from '../../components/outside-text.tsx';
import { useServerForm } from '../../components/use-server-form.tsx';
import { useApi, useApp } from '../../session/app-context.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { describeEvent, nameOfEvent } from './webhook-words.ts';

const path = '/api/v1/webhooks';

interface WebhookFormDialogProps {
  /** Null for a new one. */
  webhook: Webhook | null;
  origins: readonly string[];
  onClose: () => void;
}

/** Adds a webhook, or changes one. */
export function WebhookFormDialog({ webhook, origins, onClose }: WebhookFormDialogProps) {
  const { api, issuedKey } = useApp();
  const form = useServerForm({
    initialValues: {
      name: webhook?.name ?? '',
      url: webhook?.url ?? '',
      events: [...(webhook?.events ?? webhookEvents)] as string[],
    },
    validate: {
      name: (name) => name.trim() === '' && 'Enter a name that says who receives the events.',
      url: (url) => url.trim() === '' && 'Enter the URL of the receiver.',
      events: (events) => events.length === 0 && 'Choose at least one event.',
    },
    mutationFn: async ({ name, url, events }) => {
      const chosen = webhookEvents.filter((type) => events.includes(type));
      const body = { name: name.trim(), url: url.trim(), events: chosen };
      if (webhook) {
        const params = { path: { id: webhook.id } };
        return void (await api.call('patch', '/api/v1/webhooks/{id}', { params, body }));
      }
      const { secret } = await api.call('post', path, { body });
      issuedKey.set({ kind: 'webhook', name: body.name, raw: secret ?? '', note: null });
    },
    changes: [path],
    said: () => (webhook ? 'Webhook changed' : null),
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={webhook ? 'Change the webhook' : 'Add a webhook'}
      action={webhook ? 'Save' : 'Add the webhook'}
      width="34rem"
      form={form}
      onClose={onClose}
    >
      <TextInput
        {...form.getInputProps('name')}
        label="Name"
        placeholder="On-call"
        maxLength={200}
        data-autofocus
      />
      <TextInput
        {...form.getInputProps('url')}
        // A receiver may have its own secret in its URL.
        data-takes="credential"
        label="URL"
        type="url"
        placeholder={`${origins[0] ?? 'https://hooks.example.com'}/latchkey`}
        description={`Of a listed origin: ${origins.join(', ')}`}
      />
      <Checkbox.Group {...form.getInputProps('events')} label="Events">
        <Flex direction="column" gap="0.75rem" mt="0.5rem">
          {webhookEvents.map((type) => (
            <Checkbox key={type} value={type} label={nameOfEvent(type)} description={describeEvent(type)} />
          ))}
        </Flex>
      </Checkbox.Group>
    </FormDialog>
  );
}

interface WebhookDialogProps {
  webhook: Webhook;
  onClose: () => void;
}

/** Replaces the secret. The old one signs too for a day. */
export function RotateSecretDialog({ webhook, onClose }: WebhookDialogProps) {
  const { api, issuedKey } = useApp();
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
