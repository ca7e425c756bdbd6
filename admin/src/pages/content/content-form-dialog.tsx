import { InputBase, TextInput } from '@mantine/core';
import { useLocation } from 'wouter';
import type { BodyOf } from '../../api/api.ts';
import type { Content } from '../../api/schema.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { type ServerForm, useServerForm } from '../../components/use-server-form.tsx';
import { useApi } from '../../session/app-context.ts';
import styles from './content.module.css';
import { changedFields, type FormTexts, faultsOf, readForm, writeForm } from './content-form.ts';
import { KeyPeriodsFields } from './key-periods-fields.tsx';
import { useContentChanged } from './use-management.ts';

interface ContentFormProps {
  /** Null for a new one. */
  stored: Content | null;
  onClose: () => void;
}

/** Registers a content and opens its page, or edits one: its ID and its keys stay the same. */
export function ContentFormDialog({ stored, onClose }: ContentFormProps) {
  const api = useApi();
  const changed = useContentChanged();
  const [, navigate] = useLocation();
  const form = useServerForm({
    initialValues: { ...writeForm(stored), id: '' },
    validate: (texts) => readForm(texts, stored).faults ?? {},
    mutationFn: async ({ id, ...texts }) => {
      const { fields } = readForm(texts, stored);
      // The document of the server lacks the null of key periods.
      if (!stored)
        return api.call('post', '/api/v1/content', {
          body: { ...fields, ...(id.trim() && { id: id.trim() }) } as BodyOf<'post', '/api/v1/content'>,
          params: { header: { 'if-none-match': '*' } },
        });
      const body = fields ? changedFields(stored, fields) : {};
      if (Object.keys(body).length === 0) return null;
      return api.call('patch', '/api/v1/content/{id}', {
        params: { path: { id: stored.id } },
        body: body as BodyOf<'patch', '/api/v1/content/{id}'>,
      });
    },
    faultsOf,
    onSuccess: (answer) => {
      if (answer) changed(answer, stored ? 'Content changed' : 'Content registered');
      if (answer && !stored) navigate(`/content/${answer.content.id}`);
      else onClose();
    },
  });
  return (
    <FormDialog
      title={stored ? 'Edit the content' : 'Register a content'}
      action={stored ? 'Save' : 'Register content'}
      width="52rem"
      form={form}
      onClose={onClose}
    >
      <div className={`columns ${styles.fields}`}>
        <TextInput
          {...form.getInputProps('name')}
          label="Name"
          placeholder={stored ? '' : 'The long way home'}
          maxLength={200}
          data-autofocus
        />
        {!stored && (
          <TextInput
            {...form.getInputProps('id')}
            data-names="content"
            label="ID"
            description="Letters, digits, - and _. It is part of the key URL and never changes. Leave it empty for a random ID."
            maxLength={256}
          />
        )}
        <FurtherFields stored={stored} form={form} />
      </div>
    </FormDialog>
  );
}

function FurtherFields({ stored, form }: { stored: Content | null; form: ServerForm<FormTexts> }) {
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
      <KeyPeriodsFields stored={stored?.keyPeriods ?? null} form={form} />
    </>
  );
}
