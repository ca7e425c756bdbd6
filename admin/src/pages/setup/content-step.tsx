import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { registerContent } from '../../api/contents.ts';
import type { Content } from '../../api/resources.ts';
import { ErrorNotice } from '../../components/errors.tsx';
import { useFaultFocus } from '../../components/use-fault-focus.ts';
import { useApi } from '../../session/app-context.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import { faultsOf } from '../content/content-form.ts';
import styles from './setup.module.css';
import { StepFrame } from './step-frame.tsx';

interface ContentStepProps {
  rawKey: string;
  onRegistered: (content: Content) => void;
  onSkip: () => void;
}

/** Registers the first content with the new key. */
export function ContentStep({ rawKey, onRegistered, onSkip }: ContentStepProps) {
  const api = useApi();
  const [missing, setMissing] = useState<{ name?: string }>({});
  const register = useServerAction({
    mutationFn: (body: { name: string; id?: string }) => registerContent(api, body, rawKey),
    onSuccess: ({ content }) => onRegistered(content),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const id = String(data.get('id')).trim();
    const name = String(data.get('name')).trim();
    setMissing(name === '' ? { name: 'Enter a name.' } : {});
    if (name !== '') register.mutate({ name, ...(id === '' ? {} : { id }) });
  };
  const faults = { ...faultsOf(register.error), ...missing };
  const form = useFaultFocus(missing, register.error);
  return (
    <StepFrame
      title="Register a first content"
      lead="A content is a video with its own keys. Its ID is part of the key URL and cannot be changed later."
    >
      <form ref={form} onSubmit={submit} className={styles.form} noValidate>
        <TextInput
          name="name"
          label="Name"
          defaultValue="My first film"
          maxLength={200}
          error={faults.name}
        />
        <TextInput
          name="id"
          label="ID"
          description="Letters, digits, - and _. Leave it empty for a random ID."
          defaultValue="my-first-film"
          error={faults.id}
        />
        {!faults.name && !faults.id && <ErrorNotice error={register.error} />}
        <div className={styles.buttons}>
          <Button type="submit" loading={register.isPending}>
            Register the content
          </Button>
          <Button variant="subtle" onClick={onSkip}>
            Skip, to the dashboard
          </Button>
        </div>
      </form>
    </StepFrame>
  );
}
