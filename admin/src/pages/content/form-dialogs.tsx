import { InputBase, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { type BodyOf, reading } from '../../api/api.ts';
import type { Content } from '../../api/schema.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { type ServerForm, useServerForm } from '../../components/use-server-form.tsx';
import { useApi } from '../../session/app-context.ts';
import styles from './content.module.css';
import { changedFields, type FormTexts, faultsOf, readForm, writeForm } from './content-form.ts';
import { KeyPeriodsFields } from './key-periods-fields.tsx';
import { type KeyedContent, useContentChanged } from './use-management.ts';

const path = '/api/v1/content';

/** Registers a content and opens its page. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const form = useServerForm({
    initialValues: { ...writeForm(null), id: '' },
    validate: (texts) => readForm(texts).faults ?? {},
    mutationFn: ({ id, ...texts }) =>
      api.call('post', path, {
        // The document of the server lacks the null of key periods.
        body: { ...readForm(texts).fields, ...(id.trim() && { id: id.trim() }) } as BodyOf<
          'post',
          typeof path
        >,
        params: { header: { 'if-none-match': '*' } },
      }),
    faultsOf,
    onSuccess: (registered) => {
      const { content } = registered;
      const { queryKey } = reading(api, '/api/v1/content/{id}', { path: { id: content.id } });
      queries.setQueryData<KeyedContent>(queryKey, registered);
      navigate(`/content/${content.id}`);
    },
    changes: [path],
    said: 'Content registered',
  });
  return (
    <FormDialog
      title="Register a content"
      action="Register content"
      width="52rem"
      form={form}
      onClose={onClose}
    >
      <div className={styles.fields}>
        <NameField form={form} placeholder="The long way home" />
        <TextInput
          {...form.getInputProps('id')}
          data-names="content"
          label="ID"
          description="Letters, digits, - and _. It is part of the key URL and never changes. Leave it empty for a random ID."
          maxLength={256}
        />
        <FormFields content={null} form={form} />
      </div>
    </FormDialog>
  );
}

/** Edits a content. Its ID and its keys stay the same. */
export function EditDialog({ content, onClose }: { content: Content; onClose: () => void }) {
  const api = useApi();
  const changed = useContentChanged();
  // The form shows it as it was when the dialog opened. Changes by others since then are kept.
  const [before] = useState(content);
  const form = useServerForm({
    initialValues: writeForm(before),
    validate: (texts) => readForm(texts, before).faults ?? {},
    mutationFn: async (texts) => {
      const { fields } = readForm(texts, before);
      const body = fields ? changedFields(before, fields) : {};
      if (Object.keys(body).length === 0) return null;
      return api.call('patch', '/api/v1/content/{id}', {
        params: { path: { id: content.id } },
        body: body as BodyOf<'patch', '/api/v1/content/{id}'>,
      });
    },
    faultsOf,
    onSuccess: (answer) => {
      if (answer) changed(answer.content, 'Content changed');
      onClose();
    },
  });
  return (
    <FormDialog title="Edit the content" action="Save" width="52rem" form={form} onClose={onClose}>
      <div className={styles.fields}>
        <NameField form={form} />
        <FormFields content={before} form={form} />
      </div>
    </FormDialog>
  );
}

function NameField({ form, placeholder = '' }: { form: ServerForm<FormTexts>; placeholder?: string }) {
  return (
    <TextInput
      {...form.getInputProps('name')}
      label="Name"
      placeholder={placeholder}
      maxLength={200}
      data-autofocus
    />
  );
}

/** The fields of creating and editing. @param content the stored content, or null */
function FormFields({ content, form }: { content: Content | null; form: ServerForm<FormTexts> }) {
  return (
    <>
      <TextInput
        {...form.getInputProps('sizeBytes')}
        label="Size in bytes"
        description="Total of the encrypted files. Optional."
        inputMode="numeric"
      />
      <TextInput
        {...form.getInputProps('manifestKey')}
        label="Manifest"
        description="Path of the playlist in the bucket. Optional."
        placeholder="content/my-film/master.m3u8"
        maxLength={1_024}
      />
      <TextInput
        {...form.getInputProps('playlistUrl')}
        data-takes="credential"
        label="Playlist URL"
        description="Where players find the encrypted playlist, for AirPlay, Cast and VLC. Its origin is listed in PLAYLIST_ORIGINS of the server. Optional."
        placeholder="https://cdn.example.com/my-film/master.m3u8"
        inputMode="url"
        spellCheck={false}
        autoComplete="off"
        maxLength={2_048}
      />
      <InputBase
        component="textarea"
        {...form.getInputProps('metadata')}
        label="Metadata"
        description="Your own data, as a JSON object. Optional."
        placeholder={'{ "season": 2 }'}
        multiline
        rows={5}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: styles.json ?? '' }}
      />
      <KeyPeriodsFields stored={content?.keyPeriods ?? null} form={form} />
    </>
  );
}
