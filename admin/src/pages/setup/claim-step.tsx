import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { ApiError } from '../../api/api-error.ts';
import type { IssuedApiKey, SetupState } from '../../api/resources.ts';
import { claimServer } from '../../api/setup.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useApi } from '../../session/app-context.ts';
import { demands } from './demands.ts';
import styles from './setup.module.css';
import { StepFrame } from './step-frame.tsx';
import { TakenNotice } from './taken-notice.tsx';

export interface ClaimStepProps {
  demanded: SetupState['credential'];
  onClaimed: (issued: IssuedApiKey) => void;
  /** To the sign-in, where somebody else was quicker. */
  onTaken: () => void;
}

/** Makes the first API key. */
export function ClaimStep({ demanded, onClaimed, onTaken }: ClaimStepProps) {
  const api = useApi();
  const demand = demands[demanded];
  const claim = useMutation({
    mutationFn: ({ name, credential }: { name: string; credential: string | null }) =>
      claimServer(api, name, credential),
    onSuccess: onClaimed,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const credential = data.get('credential');
    claim.mutate({
      name: String(data.get('name')).trim() || 'admin',
      credential: credential === null ? null : String(credential).trim(),
    });
  };
  const { error } = claim;
  const refusal = error instanceof ApiError ? error : null;
  const isWrong = refusal?.status === 401 && demand !== null;
  if (refusal?.code === 'SETUP_ALREADY_DONE') return <TakenNotice onGo={onTaken} />;
  return (
    <StepFrame
      title="Set up your key server"
      lead="Nobody has claimed this server yet. Claiming it makes the first API key, with scope admin. It works once: from then on, that key makes all others."
    >
      <form onSubmit={submit} className={styles.form} noValidate>
        <TextInput
          name="name"
          label="Name of the key"
          description="To tell it from others later; yours, perhaps."
          defaultValue="admin"
          maxLength={200}
          error={refusal?.about('name')}
        />
        {demand && (
          <PasswordInput
            name="credential"
            label={demand.label}
            description={demand.explanation}
            autoComplete="off"
            required
            withAsterisk={false}
            error={isWrong ? demand.refusal : undefined}
            errorProps={{ role: 'alert' }}
            visibilityToggleButtonProps={{
              'aria-label': `Show the ${demand.label.toLowerCase()}`,
              tabIndex: 0,
            }}
          />
        )}
        {!isWrong && !refusal?.about('name') && <ErrorNotice error={error} />}
        <Button type="submit" size="md" loading={claim.isPending}>
          Claim this server
        </Button>
      </form>
    </StepFrame>
  );
}
