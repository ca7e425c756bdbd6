import { NativeSelect, Radio, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { BodyOf } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import { scopes } from '../../api/resources.ts';
import type { Scope } from '../../api/schema.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { useApi, useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { scopeMeanings } from '../../session/permissions.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { contentsOf, expiryChoices, expiryOf } from './api-key-rules.ts';
import styles from './api-keys.module.css';

const path = '/api/v1/api-keys';

/** Creates a key. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const { issuedKey, clock } = useApp();
  const [missing, setMissing] = useState<{ name?: string; date?: string }>({});
  const create = useServerAction({
    mutationFn: (body: BodyOf<'post', typeof path>) => api.call('post', path, { body }),
    onSuccess: (issued) => {
      issuedKey.set({ kind: 'api-key', name: issued.api_key.name, raw: issued.raw_key ?? '', note: null });
      onClose();
    },
    changes: [path],
  });
  const submit = (data: FormData) => {
    const name = String(data.get('name')).trim();
    const expiresAt = expiryOf(String(data.get('expiry')), String(data.get('date') ?? ''), clock.now());
    setMissing({
      ...(name === '' && { name: 'Enter a name that says who uses the key.' }),
      ...(expiresAt === undefined && { date: 'Choose today or a later day.' }),
    });
    if (name === '' || expiresAt === undefined) return;
    create.mutate({
      name,
      scope: data.get('scope') as Scope,
      expiresAt,
      contents: contentsOf(String(data.get('contents'))),
    });
  };
  const refusal = create.error instanceof ApiError ? create.error : null;
  const faults = {
    name: missing.name ?? refusal?.about('name'),
    date: missing.date ?? refusal?.about('expiresAt'),
    contents: refusal?.about('contents') && 'Give at most 50 IDs or prefixes, such as film-1 or acme-*.',
  };
  return (
    <FormDialog
      title="Create an API key"
      action="Create the key"
      save={create}
      found={missing}
      isErrorShown={Object.values(faults).some(Boolean)}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        name="name"
        label="Name"
        placeholder="Encoder in Frankfurt"
        maxLength={200}
        error={faults.name}
        data-autofocus
      />
      <ScopeField />
      <ContentsField error={faults.contents} />
      <ExpiryField error={faults.date} />
    </FormDialog>
  );
}

/** Of a key that is limited itself, its own contents are the most that it can give. */
function ContentsField({ error }: { error: string | undefined }) {
  const { contents } = useCurrentApiKey();
  return (
    <Textarea
      name="contents"
      label="Contents"
      description={
        contents
          ? 'The contents of your key, or fewer.'
          : 'IDs, or prefixes such as acme-*, separated by commas: for the key, no others exist. Empty: all contents.'
      }
      defaultValue={contents?.join(', ')}
      autosize
      maxRows={6}
      spellCheck={false}
      error={error}
    />
  );
}

/** A forgotten key does no harm once it has expired. */
const usual = '365';

function ExpiryField({ error }: { error: string | undefined }) {
  const [choice, setChoice] = useState<string>(usual);
  return (
    <>
      <NativeSelect
        name="expiry"
        label="Expires"
        value={choice}
        onChange={(event) => setChoice(event.currentTarget.value)}
        data={[...expiryChoices]}
        error={choice === 'date' ? undefined : error}
      />
      {choice === 'date' && <TextInput name="date" type="date" label="Last valid day" error={error} />}
    </>
  );
}

/** The permissions of the key. The least is the default. */
function ScopeField() {
  return (
    <fieldset className={styles.scopes}>
      <legend>Scope</legend>
      {scopes.toReversed().map((scope, index) => (
        <Radio
          key={scope}
          name="scope"
          value={scope}
          label={scope}
          description={scopeMeanings[scope]}
          defaultChecked={index === 0}
        />
      ))}
    </fieldset>
  );
}
