import { InputBase, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { type BodyOf, reading } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Content } from '../../api/schema.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { useApi } from '../../session/app-context.ts';
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
      navigate(`/content/${content.id}`);
    },
    changes: [path],
    said: 'Content registered',
  });
  const submit = (data: FormData) => {
    const { id, ...texts } = textsOf(data);
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
  return (
    <FormDialog
      title="Register a content"
      action="Register content"
      width="34rem"
      save={create}
      found={missing}
      isErrorShown={Object.keys(faults).length > 0}
      onSubmit={submit}
      onClose={onClose}
    >
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
    </FormDialog>
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
  const submit = (data: FormData) => {
    const { fields, faults } = readForm(textsOf(data), content);
    setMissing(faults ?? {});
    if (!fields) return;
    const body = changedFields(content, fields);
    if (Object.keys(body).length === 0) onClose();
    else change.mutate(body);
  };
  const faults = { ...faultsOf(change.error), ...missing };
  return (
    <FormDialog
      title="Edit the content"
      action="Save"
      width="34rem"
      save={change}
      found={missing}
      isErrorShown={Object.keys(faults).length > 0}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        name="name"
        label="Name"
        maxLength={200}
        defaultValue={content.name}
        error={faults.name}
        data-autofocus
      />
      <FormFields content={content} faults={faults} />
    </FormDialog>
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
function textsOf(data: FormData): FormTexts & { id: string } {
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
