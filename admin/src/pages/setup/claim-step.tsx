import { Button, PasswordInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import type { IssuedApiKey, SetupState } from '../../api/resources.ts';
import { claimServer } from '../../api/setup.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useFaultFocus } from '../../components/use-fault-focus.ts';
import { useApi } from '../../session/app-context.ts';
import { readCredential } from '../../session/read-credential.ts';
import { useAct } from '../../state/use-act.ts';
import { demands } from './demands.ts';
import styles from './setup.module.css';
import { StepFrame } from './step-frame.tsx';
import { TakenNotice } from './taken-notice.tsx';

export interface ClaimStepProps {
  demanded: SetupState['credential'];
  onClaimed: (issued: IssuedApiKey) => void;
  /** Whether an attempt from here may have claimed it, and its answer was lost. */
  isAnswerLost: boolean;
  onLost: () => void;
  /** To the sign-in, where somebody else was quicker. */
  onTaken: () => void;
}

/** Makes the first API key. */
export function ClaimStep({ demanded, onClaimed, isAnswerLost, onLost, onTaken }: ClaimStepProps) {
  const api = useApi();
  const demand = demands[demanded];
  const [judged, setJudged] = useState<{ fault: string | null }>({ fault: null });
  const claim = useAct({
    mutationFn: ({ name, credential }: { name: string; credential: string | null }) =>
      claimServer(api, name, credential),
    onSuccess: onClaimed,
    onError: (error) => {
      if (!(error instanceof ApiError) || error.status >= 500) onLost();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const name = String(data.get('name')).trim() || 'admin';
    if (demand === null) return claim.mutate({ name, credential: null });
    const entered = String(data.get('credential')).trim();
    const { credential } = readCredential(entered);
    setJudged({ fault: entered === '' ? 'Enter it.' : credential === null ? demand.refusal : null });
    if (credential !== null) claim.mutate({ name, credential });
  };
  const { error } = claim;
  const refusal = error instanceof ApiError ? error : null;
  const isWrong = refusal?.status === 401 && demand !== null;
  const form = useFaultFocus(judged, error);
  if (refusal?.code === 'SETUP_ALREADY_DONE')
    return <TakenNotice isPerhapsOwn={isAnswerLost} onGo={onTaken} />;
  return (
    <StepFrame
      title="Set up your key server"
      lead="Nobody has claimed this server yet. Claiming it makes the first API key, with scope admin. It works once: from then on, that key makes all others."
    >
      <form ref={form} onSubmit={submit} className={styles.form} noValidate>
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
            error={judged.fault ?? (isWrong ? demand.refusal : undefined)}
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
