import { InputBase, TextInput } from '@mantine/core';
import type { Content } from '../../api/resources.ts';
import styles from './content.module.css';
import type { FormFaults, FormTexts } from './content-form.ts';
import { writeMetadata } from './metadata.ts';

/** What creating and editing ask for. @param content what is there already */
export function FormFields({ content, faults }: { content: Content | null; faults: FormFaults }) {
  return (
    <>
      <TextInput
        name="sizeBytes"
        label="Size in bytes"
        description="Of the encrypted files together. Optional."
        inputMode="numeric"
        defaultValue={content?.sizeBytes ?? ''}
        error={faults.sizeBytes}
      />
      <TextInput
        name="manifestKey"
        label="Manifest"
        description="Where the playlist lies in the bucket. Optional."
        placeholder="content/my-film/master.m3u8"
        maxLength={1_024}
        defaultValue={content?.manifestKey ?? ''}
        error={faults.manifestKey}
      />
      <InputBase
        component="textarea"
        name="metadata"
        label="Metadata"
        description="Anything of yours, as a JSON object. Optional."
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

/** What is written in the fields of a form. */
export function textsOf(form: HTMLFormElement): FormTexts & { id: string } {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? '');
  return {
    id: text('id').trim(),
    name: text('name'),
    sizeBytes: text('sizeBytes'),
    manifestKey: text('manifestKey'),
    metadata: text('metadata'),
  };
}
