import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import { type ContentFields, type KeyedContent, readContent, registerContent } from '../../api/contents.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useFaultFocus } from '../../components/use-fault-focus.ts';
import { useApi, useApp } from '../../session/app-context.ts';
import { useAct } from '../../state/use-act.ts';
import { type FormFaults, readForm } from './content-form.ts';
import { FormFields, textsOf } from './form-fields.tsx';
import { faultsOf } from './refused-fields.ts';

/** Registers a content, and leads to it. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const api = useApi();
  const { announce } = useApp().toasts;
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [missing, setMissing] = useState<FormFaults>({});
  const create = useAct({
    mutationFn: (body: ContentFields & { id?: string }) => registerNew(api, body),
    onSuccess: (registered) => {
      const { content } = registered;
      queries.setQueryData<KeyedContent>(queryKeys.content(content.id), registered);
      void queries.invalidateQueries({ queryKey: queryKeys.contents });
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
    ...(create.error instanceof TakenError && { id: create.error.message }),
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
          label="Id"
          description="Letters, digits, - and _. It is in the address of its keys and never changes. Leave it empty for a random one."
          maxLength={256}
          error={faults.id}
        />
        <FormFields content={null} faults={faults} />
        {!isShown && <ErrorNotice error={create.error} />}
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Register content
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

class TakenError extends Error {}

/** The server would update a content whose id is known, which is not what a dialog for a new one should do. */
async function registerNew(api: Api, body: ContentFields & { id?: string }) {
  // What is no id at all, the server says better.
  if (body.id !== undefined && (await isTaken(api, body.id)))
    throw new TakenError('There is a content with this id. Edit that one, or choose another id.');
  return registerContent(api, body);
}

function isTaken(api: Api, id: string): Promise<boolean> {
  return readContent(api, id).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return false;
      throw error;
    },
  );
}
