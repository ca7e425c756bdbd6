import { Button, PasswordInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Answer } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import { ErrorNotice } from '../../components/errors.tsx';
import { Notice } from '../../components/notice.tsx';
import { useFaultFocus } from '../../components/use-fault-focus.ts';
import { useApi } from '../../session/app-context.ts';
import { readCredential } from '../../session/read-credential.ts';
import { useServerAction } from '../../state/use-server-action.ts';
import styles from './setup.module.css';
import { StepFrame } from './step-frame.tsx';

export type SetupState = Answer<'get', '/api/v1/setup'>;
export type IssuedApiKey = Answer<'post', '/api/v1/setup'>;

interface ClaimStepProps {
  requiredCredential: SetupState['credential'];
  onClaimed: (issued: IssuedApiKey) => void;
  /** Whether a request of this page may have claimed the server, and its answer was lost. */
  isAnswerLost: boolean;
  onLost: () => void;
  /** Reads again which credential the server requires: it requires one by now. */
  onCredentialMissing: () => void;
  /** Opens the sign-in page, after somebody else has claimed the server. */
  onTaken: () => void;
}

/** Creates the first API key. */
export function ClaimStep(props: ClaimStepProps) {
  const { requiredCredential, onClaimed, isAnswerLost, onLost, onCredentialMissing, onTaken } = props;
  const api = useApi();
  const field = credentialFields[requiredCredential];
  const [checked, setChecked] = useState<{ fault: string | null }>({ fault: null });
  const claim = useServerAction({
    mutationFn: ({ name, credential }: { name: string; credential: string | null }) =>
      api.call('post', '/api/v1/setup', { body: { name }, credential }),
    onSuccess: onClaimed,
    onError: (error) => {
      if (!(error instanceof ApiError) || error.status >= 500) onLost();
      else if (error.status === 401 && field === null) onCredentialMissing();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const name = String(data.get('name')).trim() || 'admin';
    if (field === null) return claim.mutate({ name, credential: null });
    const entered = String(data.get('credential')).trim();
    const { credential } = readCredential(entered);
    setChecked({
      fault: entered === '' ? missingFault(field) : credential === null ? field.refusal : null,
    });
    if (credential !== null) claim.mutate({ name, credential });
  };
  const { error } = claim;
  const refusal = error instanceof ApiError ? error : null;
  const isWrong = refusal?.status === 401 && field !== null;
  const fault = isWrong && (refusal.code === 'UNAUTHENTICATED' ? missingFault(field) : field.refusal);
  const form = useFaultFocus(checked, error);
  if (refusal?.code === 'SETUP_ALREADY_DONE')
    return <TakenNotice mayBeOwnClaim={isAnswerLost} onGo={onTaken} />;
  return (
    <StepFrame
      title="Set up your key server"
      lead="This server is not claimed yet. Claiming it creates the first API key, with scope admin. This works once. Later keys are created with that key."
    >
      <form ref={form} onSubmit={submit} className={styles.form} noValidate>
        <TextInput
          name="name"
          label="Name of the key"
          description="To recognise it later, such as your own name."
          defaultValue="admin"
          maxLength={200}
          error={refusal?.about('name')}
        />
        {field && <CredentialInput field={field} error={checked.fault ?? (fault || undefined)} />}
        {!isWrong && !refusal?.about('name') && <ErrorNotice error={error} />}
        <Button type="submit" size="md" loading={claim.isPending}>
          Claim this server
        </Button>
      </form>
    </StepFrame>
  );
}

function CredentialInput({ field, error }: { field: CredentialField; error: string | undefined }) {
  const { label, explanation } = field;
  return (
    <PasswordInput
      data-takes="credential"
      name="credential"
      label={label}
      description={explanation}
      autoComplete="off"
      required
      withAsterisk={false}
      error={error}
      // Mantine sets it on all fields except this one, and `useFaultFocus` looks for it.
      aria-invalid={error !== undefined || undefined}
      errorProps={{ role: 'alert' }}
      visibilityToggleButtonProps={{ 'aria-label': `Show the ${label.toLowerCase()}`, tabIndex: 0 }}
    />
  );
}

function missingFault({ label }: CredentialField): string {
  return `Enter the ${label.toLowerCase()}.`;
}

interface CredentialField {
  label: string;
  explanation: string;
  /** Shown if the server refuses the input. */
  refusal: string;
}

/** The credential that the server requires for claiming it (`docs/contract.md#setup`), as a form field. */
const credentialFields: Record<SetupState['credential'], CredentialField | null> = {
  none: null,
  'bootstrap-key': {
    label: 'Bootstrap key',
    explanation: 'The value of ADMIN_API_KEY in the server’s configuration.',
    refusal: 'That is not the value of ADMIN_API_KEY.',
  },
  'setup-token': {
    label: 'Setup token',
    explanation: 'The value of SETUP_TOKEN in the server’s configuration.',
    refusal: 'That is not the value of SETUP_TOKEN.',
  },
};

interface TakenNoticeProps {
  /** Whether a request of this page may have claimed the server, and its answer was lost. */
  mayBeOwnClaim: boolean;
  onGo: () => void;
}

/** Shown if the server is claimed, and this page does not have the key. */
export function TakenNotice({ mayBeOwnClaim, onGo }: TakenNoticeProps) {
  const command = <code>npx latchkey api-keys create --name rescue</code>;
  return (
    <StepFrame
      title={mayBeOwnClaim ? 'This server has been claimed' : 'Somebody else has claimed this server'}
      lead={
        mayBeOwnClaim
          ? 'Most likely by you: your request arrived, but the answer with the key was lost. That key is not shown again.'
          : 'Somebody created the first API key while this page was open. It is not shown again.'
      }
    >
      <Notice title="If it was your own attempt">
        Create another key: in the Latchkey folder on the database machine, run {command}. Sign in with it,
        and revoke the first key, which nobody has.
      </Notice>
      <Notice kind="warning" title="If it was neither you nor a colleague">
        Then a stranger controls your server. Stop it and disconnect it from the network. Start with a new
        database, or create a key as above and revoke theirs.
      </Notice>
      <Button size="md" onClick={onGo}>
        Sign in with a key
      </Button>
    </StepFrame>
  );
}
