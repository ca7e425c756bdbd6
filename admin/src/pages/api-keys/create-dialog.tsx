import { NativeSelect, Radio, Textarea, TextInput } from '@mantine/core';
import { fieldFaultsOf } from '../../api/api-error.ts';
import { scopes } from '../../api/resources.ts';
import type { Scope } from '../../api/schema.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { useServerForm } from '../../components/use-server-form.tsx';
import { useApi, useApp, useCurrentApiKey } from '../../session/app-context.ts';
import { scopeMeanings } from '../../session/permissions.ts';
import { contentsOf, expiryChoices, expiryOf } from './api-key-rules.ts';
import styles from './api-keys.module.css';

const path = '/api/v1/api-keys';

/** The least permissions. And a forgotten key does no harm once it has expired. */
const usual = { scope: 'playback' as Scope, expiry: '365' };

/** Creates a key. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const { issuedKey, clock } = useApp();
  // Of a key that is limited itself, its own contents are the most that it can give.
  const own = useCurrentApiKey().contents;
  const form = useServerForm({
    initialValues: { name: '', contents: own?.join(', ') ?? '', expiresAt: '', ...usual },
    validate: {
      name: (name) => name.trim() === '' && 'Enter a name that says who uses the key.',
      expiresAt: (day, { expiry }) =>
        expiryOf(expiry, day, clock.now()) === '' && 'Choose today or a later day.',
    },
    mutationFn: ({ name, scope, contents, expiry, expiresAt }) => {
      const limits = { contents: contentsOf(contents), expiresAt: expiryOf(expiry, expiresAt, clock.now()) };
      return api.call('post', path, { body: { name: name.trim(), scope, ...limits } });
    },
    faultsOf: (error) => {
      const faults = fieldFaultsOf(error);
      const tooMany = 'Give at most 50 IDs or prefixes, such as film-1 or acme-*.';
      return faults.contents === undefined ? faults : { ...faults, contents: tooMany };
    },
    onSuccess: (issued) => {
      issuedKey.set({ kind: 'api-key', name: issued.api_key.name, raw: issued.raw_key ?? '', note: null });
      onClose();
    },
    changes: [path],
  });
  const expiryChoice = form.useWatchValue('expiry');
  return (
    <FormDialog title="Create an API key" action="Create the key" form={form} onClose={onClose}>
      <TextInput
        {...form.getInputProps('name')}
        label="Name"
        placeholder="Encoder in Frankfurt"
        maxLength={200}
        data-autofocus
      />
      <fieldset className={styles.scopes}>
        <legend>Scope</legend>
        {scopes.toReversed().map((value) => (
          <Radio
            key={value}
            {...form.getInputProps('scope', { type: 'radio', value })}
            label={value}
            description={scopeMeanings[value]}
          />
        ))}
      </fieldset>
      <Textarea
        {...form.getInputProps('contents')}
        label="Contents"
        description={
          own
            ? 'The contents of your key, or fewer.'
            : 'IDs, or prefixes such as acme-*, separated by commas: for the key, no others exist. Empty: all contents.'
        }
        autosize
        maxRows={6}
        spellCheck={false}
      />
      <NativeSelect {...form.getInputProps('expiry')} label="Expires" data={[...expiryChoices]} />
      {expiryChoice === 'date' && (
        <TextInput {...form.getInputProps('expiresAt')} type="date" label="Last valid day" />
      )}
    </FormDialog>
  );
}
