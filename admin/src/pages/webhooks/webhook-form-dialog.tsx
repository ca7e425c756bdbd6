import { Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { BodyOf } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import { webhookEvents } from '../../api/resources.ts';
import type { Webhook } from '../../api/schema.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { useApi, useApp } from '../../session/app-context.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { describeEvent, nameOfEvent } from './webhook-words.ts';
import styles from './webhooks.module.css';

interface WebhookFormProps {
  /** Null for a new one. */
  webhook: Webhook | null;
  origins: readonly string[];
  onClose: () => void;
}

const path = '/api/v1/webhooks';
type Fields = BodyOf<'post', typeof path>;

/** Adds a webhook, or changes one. */
export function WebhookFormDialog({ webhook, origins, onClose }: WebhookFormProps) {
  const [missing, setMissing] = useState<{ name?: string; url?: string; events?: string }>({});
  const save = useSaving(webhook, onClose);
  const submit = (data: FormData) => {
    const fields = {
      name: String(data.get('name')).trim(),
      url: String(data.get('url')).trim(),
      events: data.getAll('events') as Fields['events'],
    };
    setMissing({
      ...(fields.name === '' && { name: 'Enter a name that says who receives the events.' }),
      ...(fields.url === '' && { url: 'Enter the URL of the receiver.' }),
      ...(fields.events.length === 0 && { events: 'Choose at least one event.' }),
    });
    if (fields.name && fields.url && fields.events.length > 0) save.mutate(fields);
  };
  const refusal = save.error instanceof ApiError ? save.error : null;
  const faults = {
    name: missing.name ?? refusal?.about('name'),
    url: missing.url ?? refusal?.about('url'),
    events: missing.events ?? refusal?.about('events'),
  };
  return (
    <FormDialog
      title={webhook ? 'Change the webhook' : 'Add a webhook'}
      action={webhook ? 'Save' : 'Add the webhook'}
      width="34rem"
      save={save}
      found={missing}
      isErrorShown={Object.values(faults).some(Boolean)}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        name="name"
        label="Name"
        placeholder="On-call"
        maxLength={200}
        defaultValue={webhook?.name}
        error={faults.name}
        data-autofocus
      />
      <TextInput
        name="url"
        // A receiver may have its own secret in its URL.
        data-takes="credential"
        label="URL"
        type="url"
        placeholder={`${origins[0] ?? 'https://hooks.example.com'}/latchkey`}
        description={`Of a listed origin: ${origins.join(', ')}`}
        defaultValue={webhook?.url}
        error={faults.url}
      />
      <EventsField chosen={webhook?.events ?? webhookEvents} error={faults.events} />
    </FormDialog>
  );
}

function useSaving(webhook: Webhook | null, onClose: () => void) {
  const api = useApi();
  const { issuedKey } = useApp();
  return useServerAction({
    mutationFn: async (fields: Fields) => {
      if (webhook) {
        const params = { path: { id: webhook.id } };
        return void (await api.call('patch', '/api/v1/webhooks/{id}', { params, body: fields }));
      }
      const { secret } = await api.call('post', path, { body: fields });
      issuedKey.set({ kind: 'webhook', name: fields.name, raw: secret ?? '', note: null });
    },
    changes: [path],
    said: () => (webhook ? 'Webhook changed' : null),
    onSuccess: onClose,
  });
}

function EventsField({ chosen, error }: { chosen: readonly string[]; error: string | undefined }) {
  return (
    <Checkbox.Group defaultValue={[...chosen]} label="Events" error={error} className={styles.events}>
      {webhookEvents.map((type) => (
        <Checkbox
          key={type}
          name="events"
          value={type}
          label={nameOfEvent(type)}
          description={describeEvent(type)}
        />
      ))}
    </Checkbox.Group>
  );
}
