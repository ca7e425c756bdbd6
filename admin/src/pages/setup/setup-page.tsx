import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys } from '../../api/query-keys.ts';
import type { Content, IssuedApiKey, SetupState } from '../../api/resources.ts';
import { RawKeyPanel } from '../../components/raw-key-panel.tsx';
import { useApp } from '../../session/app-context.ts';
import { Entrance } from '../../shell/entrance.tsx';
import { ClaimStep, TakenNotice } from './claim-step.tsx';
import { ContentStep } from './content-step.tsx';
import { StepFrame, StepList } from './step-frame.tsx';
import { TryStep } from './try-step.tsx';

interface SetupPageProps {
  /** The latest known state. This page or somebody else may have claimed the server since. */
  server: SetupState;
  onDone: () => void;
}

/** The setup wizard: claims the server, shows the key, registers a first content and shows how to fetch its key. */
export default function SetupPage({ server, onDone }: SetupPageProps) {
  const { session } = useApp();
  const queries = useQueryClient();
  const [issued, setIssued] = useState<IssuedApiKey | null>(null);
  const [isAnswerLost, setAnswerLost] = useState(false);
  const [isStored, setStored] = useState(false);
  const [content, setContent] = useState<Content | null>(null);
  // Ends the wizard and signs in with the new key.
  const enter = () => {
    if (issued) session.continueWith(issued.raw_key, issued.api_key);
    onDone();
  };
  const step = issued === null ? 0 : !isStored ? 1 : content === null ? 2 : 3;
  return (
    <Entrance isWide>
      <StepList current={step} />
      {step === 0 && server.setup_required && (
        <ClaimStep
          requiredCredential={server.credential}
          onClaimed={setIssued}
          isAnswerLost={isAnswerLost}
          onLost={() => {
            setAnswerLost(true);
            // Asks the server whether the claim succeeded, once it answers.
            void queries.invalidateQueries({ queryKey: queryKeys.setup });
          }}
          onTaken={onDone}
        />
      )}
      {step === 0 && !server.setup_required && <TakenNotice mayBeOwnClaim={isAnswerLost} onGo={onDone} />}
      {issued !== null && !isStored && (
        <StepFrame
          title="Store your key"
          lead="The key is shown only now: the server stores a hash of it. Put it into a password manager. Anyone who has it can manage the server."
        >
          <RawKeyPanel
            rawKey={issued.raw_key}
            fileName="latchkey-admin-key"
            action="Continue"
            onStored={() => setStored(true)}
          />
        </StepFrame>
      )}
      {step === 2 && issued && (
        <ContentStep rawKey={issued.raw_key} onRegistered={setContent} onSkip={enter} />
      )}
      {step === 3 && issued && content && (
        <TryStep contentId={content.id} rawKey={issued.raw_key} onDone={enter} />
      )}
    </Entrance>
  );
}
