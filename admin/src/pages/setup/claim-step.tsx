import { Button, PasswordInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import type { IssuedApiKey, SetupState } from '../../api/resources.ts';
import { claimServer } from '../../api/setup.ts';
import { ErrorNotice } from '../../components/errors.tsx';
import { Notice } from '../../components/notice.tsx';
import { useFaultFocus } from '../../components/use-fault-focus.ts';
import { useApi } from '../../session/app-context.ts';
import { readCredential } from '../../session/read-credential.ts';
import { useAct } from '../../state/use-act.ts';
import styles from './setup.module.css';
import { StepFrame } from './step-frame.tsx';

interface ClaimStepProps {
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

interface Demand {
  label: string;
  explanation: string;
  /** Where the server did not take what was entered. */
  refusal: string;
}

/** What a caller must present to claim the server (`docs/contract.md#setup`), in words. */
export const demands: Record<SetupState['credential'], Demand | null> = {
  none: null,
  'bootstrap-key': {
    label: 'Bootstrap key',
    explanation:
      'The value of ADMIN_API_KEY in the configuration of the server. It is asked for because you do not come straight from the machine itself.',
    refusal: 'That is not the value of ADMIN_API_KEY.',
  },
  'setup-token': {
    label: 'Setup token',
    explanation: 'The value of SETUP_TOKEN in the configuration of the server.',
    refusal: 'That is not the value of SETUP_TOKEN.',
  },
};

interface TakenNoticeProps {
  /** Whether an attempt from this page may be what claimed it: its answer was lost. */
  isPerhapsOwn: boolean;
  onGo: () => void;
}

/** Where the server is claimed, and this page does not have the key. */
export function TakenNotice({ isPerhapsOwn, onGo }: TakenNoticeProps) {
  const command = <code>npx latchkey api-keys create --name rescue</code>;
  return (
    <StepFrame
      title={isPerhapsOwn ? 'This server has been claimed' : 'Somebody else has claimed this server'}
      lead={
        isPerhapsOwn
          ? 'Most likely by you: your attempt reached it, and the answer with the key was lost on the way. That key is not shown again.'
          : 'While this page was open, a first API key was made. Whoever made it has it; it is not shown again.'
      }
    >
      <Notice title="If it was your own attempt">
        Make another key: in the folder of Latchkey on the machine of the database, run {command}. Sign in
        with it, and revoke the first key, which nobody has.
      </Notice>
      <Notice kind="warning" title="Was that not you, nor a colleague?">
        Then a stranger manages your server. Stop it, take it off the network, and begin with a new database,
        or make a key as above and revoke theirs.
      </Notice>
      <Button size="md" onClick={onGo}>
        Sign in with a key
      </Button>
    </StepFrame>
  );
}
