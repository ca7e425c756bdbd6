import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, keyOf } from '../../api/api.ts';
import { ApiError, fieldFaultsOf } from '../../api/api-error.ts';
import { Notice } from '../../components/notice.tsx';
import { useServerForm } from '../../components/use-server-form.tsx';
import { useApi } from '../../session/app-context.ts';
import { readCredential } from '../../session/read-credential.ts';
import { StepFrame } from './step-frame.tsx';

export type SetupState = Answer<'get', '/api/v1/setup'>;
export type IssuedApiKey = Answer<'post', '/api/v1/setup'>;

interface ClaimStepProps {
  server: SetupState;
  onClaimed: (issued: IssuedApiKey) => void;
  /** Opens the sign-in page, after somebody else has claimed the server. */
  onTaken: () => void;
}

/** Creates the first API key. */
export function ClaimStep({ server, onClaimed, onTaken }: ClaimStepProps) {
  const api = useApi();
  const queries = useQueryClient();
  const [isAnswerLost, setAnswerLost] = useState(false);
  const field = credentialFields[server.credential];
  const form = useServerForm({
    initialValues: { name: 'admin', credential: '' },
    validate: {
      credential: (entered) => {
        if (!field || readCredential(entered).credential !== null) return null;
        return entered.trim() === '' ? field.missing : field.wrong;
      },
    },
    mutationFn: ({ name, credential }) =>
      api.call('post', '/api/v1/setup', {
        body: { name: name.trim() || 'admin' },
        credential: field && readCredential(credential).credential,
      }),
    faultsOf: (error) => ({ ...fieldFaultsOf(error), credential: refusalOf(field, error) }),
    onSuccess: onClaimed,
    onError: (error) => {
      const isLost = !(error instanceof ApiError) || error.status >= 500;
      if (isLost) setAnswerLost(true);
      // Asks the server whether the claim succeeded, once it answers, or which credential it requires by now.
      if (isLost || (error.status === 401 && field === null))
        void queries.invalidateQueries({ queryKey: keyOf('/api/v1/setup') });
    },
  });
  const { error } = form;
  if (!server.setup_required || (error instanceof ApiError && error.code === 'SETUP_ALREADY_DONE'))
    return <TakenNotice mayBeOwnClaim={isAnswerLost} onGo={onTaken} />;
  // Also of a field that this refusal added.
  const refusal = refusalOf(field, error);
  return (
    <StepFrame
      title="Set up your key server"
      lead="This server is not claimed yet. Claiming it creates the first API key, with scope admin. This works once. Later keys are created with that key."
    >
      <form onSubmit={form.submit} noValidate>
        <Stack gap="1.25rem">
          <TextInput
            {...form.getInputProps('name')}
            label="Name of the key"
            description="To recognise it later, such as your own name."
            maxLength={200}
          />
          {field && (
            <PasswordInput
              {...form.getInputProps('credential')}
              data-takes="credential"
              label={field.label}
              description={field.description}
              autoComplete="off"
              required
              withAsterisk={false}
              error={form.errors.credential ?? refusal}
              // Mantine sets it on all fields except this one.
              aria-invalid={Boolean(form.errors.credential ?? refusal) || undefined}
              errorProps={{ role: 'alert' }}
              visibilityToggleButtonProps={{ 'aria-label': field.show, tabIndex: 0 }}
            />
          )}
          {!refusal && form.errors.notice}
          <Button type="submit" size="md" loading={form.isPending}>
            Claim this server
          </Button>
        </Stack>
      </form>
    </StepFrame>
  );
}

/** The credential that the server requires for claiming it (`docs/reference/contract.md#setup`), as a form field. */
const credentialFields = {
  none: null,
  'bootstrap-key': credentialField('Bootstrap key', 'ADMIN_API_KEY'),
  'setup-token': credentialField('Setup token', 'SETUP_TOKEN'),
};

/** @param variable the setting of the server that has it */
function credentialField(label: string, variable: string) {
  const name = label.toLowerCase();
  return {
    label,
    description: `The value of ${variable} in the server’s configuration.`,
    show: `Show the ${name}`,
    missing: `Enter the ${name}.`,
    wrong: `That is not the value of ${variable}.`,
  };
}

/** The fault of the credential that the server has found. */
function refusalOf(field: ReturnType<typeof credentialField> | null, error: unknown): string | null {
  if (!field || !(error instanceof ApiError) || error.status !== 401) return null;
  return error.code === 'UNAUTHENTICATED' ? field.missing : field.wrong;
}

interface TakenNoticeProps {
  /** Whether a request of this page may have claimed the server, and its answer was lost. */
  mayBeOwnClaim: boolean;
  onGo: () => void;
}

/** Shown if the server is claimed, and this page does not have the key. */
function TakenNotice({ mayBeOwnClaim, onGo }: TakenNoticeProps) {
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
