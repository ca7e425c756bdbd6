import { Button, Checkbox, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type BodyOf, keyOf } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import { webhookEvents } from '../../api/resources.ts';
import type { Webhook } from '../../api/schema.ts';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { useFaultFocus } from '../../components/use-fault-focus.ts';
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
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
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
  const form = useFaultFocus(missing, save.error);
  const refusal = save.error instanceof ApiError ? save.error : null;
  return (
    <Dialog title={webhook ? 'Change the webhook' : 'Add a webhook'} onClose={onClose} width="34rem">
      <form ref={form} onSubmit={submit} noValidate>
        <TextInput
          name="name"
          label="Name"
          placeholder="On-call"
          maxLength={200}
          defaultValue={webhook?.name}
          error={missing.name ?? refusal?.about('name')}
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
          error={missing.url ?? refusal?.about('url')}
        />
        <EventsField chosen={webhook?.events ?? webhookEvents} error={missing.events} />
        {!refusal?.errors.length && <ErrorNotice error={save.error} />}
        <DialogActions onCancel={onClose}>
          <Button type="submit" loading={save.isPending}>
            {webhook ? 'Save' : 'Add the webhook'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function useSaving(webhook: Webhook | null, onClose: () => void) {
  const api = useApi();
  const { issuedKey, toasts } = useApp();
  const queries = useQueryClient();
  return useServerAction({
    mutationFn: async (fields: Fields) => {
      if (webhook) {
        const params = { path: { id: webhook.id } };
        return void (await api.call('patch', '/api/v1/webhooks/{id}', { params, body: fields }));
      }
      const { secret } = await api.call('post', path, { body: fields });
      issuedKey.set({ kind: 'webhook', name: fields.name, raw: secret ?? '', note: null });
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: keyOf(path) });
      if (webhook) toasts.announce('Webhook changed');
      onClose();
    },
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
