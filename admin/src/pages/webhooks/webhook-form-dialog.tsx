import { Checkbox, Flex, TextInput } from '@mantine/core';
import { webhookEvents } from '../../api/resources.ts';
import type { Webhook } from '../../api/schema.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { useServerForm } from '../../components/use-server-form.tsx';
import { useApi, useApp } from '../../session/app-context.ts';
import { describeEvent, nameOfEvent } from './webhook-words.ts';

interface WebhookFormProps {
  /** Null for a new one. */
  webhook: Webhook | null;
  origins: readonly string[];
  onClose: () => void;
}

const path = '/api/v1/webhooks';

/** Adds a webhook, or changes one. */
export function WebhookFormDialog({ webhook, origins, onClose }: WebhookFormProps) {
  const api = useApi();
  const { issuedKey } = useApp();
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
