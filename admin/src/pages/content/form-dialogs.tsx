import { Button, InputBase, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { type BodyOf, keyOf, reading } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Content } from '../../api/schema.ts';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/errors.tsx';
import { useFaultFocus } from '../../components/use-fault-focus.ts';
import { useApi, useApp } from '../../session/app-context.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import styles from './content.module.css';
import {
  type ContentFields,
  changedFields,
  type FormFaults,
  type FormTexts,
  faultsOf,
  readForm,
  writeMetadata,
} from './content-form.ts';
import { KeyPeriodsFields } from './key-periods-fields.tsx';
import { periodsTextsOf } from './key-periods-form.ts';
import { type KeyedContent, useContentChanged } from './use-management.ts';

const path = '/api/v1/content';

/** Registers a content and opens its page. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const { announce } = useApp().toasts;
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [missing, setMissing] = useState<FormFaults>({});
  const create = useServerAction({
    mutationFn: (body: ContentFields & { id?: string }) =>
      api.call('post', path, {
        // The document of the server lacks the null of key periods.
        body: body as BodyOf<'post', typeof path>,
        params: { header: { 'if-none-match': '*' } },
      }),
    onSuccess: (registered) => {
      const { content } = registered;
      const { queryKey } = reading(api, '/api/v1/content/{id}', { path: { id: content.id } });
      queries.setQueryData<KeyedContent>(queryKey, registered);
      void queries.invalidateQueries({ queryKey: keyOf(path) });
      announce('Content registered');
      navigate(`/content/${content.id}`);
    },
  });
  const form = useFaultFocus(missing, create.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { id, ...texts } = textsOf(event.currentTarget);
    const { fields, faults } = readForm(texts);
    setMissing(faults ?? {});
    create.reset();
    if (fields) create.mutate({ ...fields, ...(id === '' ? {} : { id }) });
  };
  const faults: FormFaults = {
    ...faultsOf(create.error),
    ...(isTaken(create.error) && { id: 'This ID is taken. Edit that content, or choose another ID.' }),
    ...missing,
  };
  const isShown = Object.keys(faults).length > 0;
  return (
    <Dialog title="Register a content" onClose={onClose} width="34rem">
      <form ref={form} onSubmit={submit} noValidate>
        <TextInput
          name="name"
          label="Name"
          placeholder="The long way home"
          maxLength={200}
          error={faults.name}
          data-autofocus
        />
        <TextInput
          name="id"
          data-names="content"
          label="ID"
          description="Letters, digits, - and _. It is part of the key URL and never changes. Leave it empty for a random ID."
          maxLength={256}
          error={faults.id}
        />
        <FormFields content={null} faults={faults} />
        {!isShown && <ErrorNotice error={create.error} />}
        <DialogActions onCancel={onClose}>
          <Button type="submit" loading={create.isPending}>
            Register content
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Whether the server refused an ID that belongs to another content. */
function isTaken(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'CONTENT_EXISTS';
}

/** Edits a content. Its ID and its keys stay the same. */
export function EditDialog({ content, onClose }: { content: Content; onClose: () => void }) {
  const api = useApi();
  const changed = useContentChanged();
  const [missing, setMissing] = useState<FormFaults>({});
  const change = useServerAction({
    mutationFn: (body: Partial<ContentFields>) =>
      api.call('patch', '/api/v1/content/{id}', {
        params: { path: { id: content.id } },
        body: body as BodyOf<'patch', '/api/v1/content/{id}'>,
      }),
    onSuccess: ({ content: after }) => {
      changed(after, 'Content changed');
      onClose();
    },
  });
  const form = useFaultFocus(missing, change.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { fields, faults } = readForm(textsOf(event.currentTarget), content);
    setMissing(faults ?? {});
    if (!fields) return;
    const body = changedFields(content, fields);
    if (Object.keys(body).length === 0) onClose();
    else change.mutate(body);
  };
  const faults = { ...faultsOf(change.error), ...missing };
  return (
    <Dialog title="Edit the content" onClose={onClose} width="34rem">
      <form ref={form} onSubmit={submit} noValidate>
        <TextInput
          name="name"
          label="Name"
          maxLength={200}
          defaultValue={content.name}
          error={faults.name}
          data-autofocus
        />
        <FormFields content={content} faults={faults} />
        {Object.keys(faults).length === 0 && <ErrorNotice error={change.error} />}
        <DialogActions onCancel={onClose}>
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** The fields of creating and editing. @param content the stored content, or null */
function FormFields({ content, faults }: { content: Content | null; faults: FormFaults }) {
  return (
    <>
      <TextInput
        name="sizeBytes"
        label="Size in bytes"
        description="Total of the encrypted files. Optional."
        inputMode="numeric"
        defaultValue={content?.sizeBytes ?? ''}
        error={faults.sizeBytes}
      />
      <TextInput
        name="manifestKey"
        label="Manifest"
        description="Path of the playlist in the bucket. Optional."
        placeholder="content/my-film/master.m3u8"
        maxLength={1_024}
        defaultValue={content?.manifestKey ?? ''}
        error={faults.manifestKey}
      />
      <TextInput
        name="playlistUrl"
        data-takes="credential"
        label="Playlist URL"
        description="Where players find the encrypted playlist, for AirPlay, Cast and VLC. Its origin is listed in PLAYLIST_ORIGINS of the server. Optional."
        placeholder="https://cdn.example.com/my-film/master.m3u8"
        inputMode="url"
        spellCheck={false}
        autoComplete="off"
        maxLength={2_048}
        defaultValue={content?.playlistUrl ?? ''}
        error={faults.playlistUrl}
      />
      <KeyPeriodsFields periods={content?.keyPeriods ?? null} faults={faults} />
      <InputBase
        component="textarea"
        name="metadata"
        label="Metadata"
        description="Your own data, as a JSON object. Optional."
        placeholder={'{ "season": 2 }'}
        multiline
        rows={5}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: styles.json ?? '' }}
        defaultValue={content ? writeMetadata(content.metadata) : ''}
        error={faults.metadata}
      />
    </>
  );
}

/** The texts in the fields of a form. */
function textsOf(form: HTMLFormElement): FormTexts & { id: string } {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? '');
  return {
    id: text('id').trim(),
    name: text('name'),
    sizeBytes: text('sizeBytes'),
    manifestKey: text('manifestKey'),
    playlistUrl: text('playlistUrl'),
    metadata: text('metadata'),
    periods: periodsTextsOf(data),
  };
}
