import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type ContentFields, changeContent } from '../../api/contents.ts';
import type { Content } from '../../api/resources.ts';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useFaultFocus } from '../../components/use-fault-focus.ts';
import { useApi } from '../../session/app-context.ts';
import { useAct } from '../../state/use-act.ts';
import { changedFields, type FormFaults, readForm } from './content-form.ts';
import { FormFields, textsOf } from './form-fields.tsx';
import { faultsOf } from './refused-fields.ts';
import { useContentChanged } from './use-content-changed.ts';

/** Changes what may be said of a content. Its id and its keys stay. */
export function EditDialog({ content, onClose }: { content: Content; onClose: () => void }) {
  const api = useApi();
  const changed = useContentChanged();
  const [missing, setMissing] = useState<FormFaults>({});
  const change = useAct({
    mutationFn: (body: Partial<ContentFields>) => changeContent(api, content.id, body),
    onSuccess: (after) => {
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
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
