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
  /** As it was said last: it may be claimed by now, by this page or by another. */
  server: SetupState;
  onDone: () => void;
}

/** The first hour: claims the server, has the key stored, registers a first content and shows how to fetch its key. */
export default function SetupPage({ server, onDone }: SetupPageProps) {
  const { session } = useApp();
  const queries = useQueryClient();
  const [issued, setIssued] = useState<IssuedApiKey | null>(null);
  const [isAnswerLost, setAnswerLost] = useState(false);
  const [isStored, setStored] = useState(false);
  const [content, setContent] = useState<Content | null>(null);
  // From here on the wizard speaks for nobody: the pages are shown, with the key that it made.
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
          demanded={server.credential}
          onClaimed={setIssued}
          isAnswerLost={isAnswerLost}
          onLost={() => {
            setAnswerLost(true);
            // Whether it was done, the server knows; where it does not answer, it is asked once it is back.
            void queries.invalidateQueries({ queryKey: queryKeys.setup });
          }}
          onTaken={onDone}
        />
      )}
      {step === 0 && !server.setup_required && <TakenNotice isPerhapsOwn={isAnswerLost} onGo={onDone} />}
      {issued !== null && !isStored && (
        <StepFrame
          title="Store your key"
          lead="This is the only time that it is shown: the server keeps a hash of it. Put it into a password manager; whoever has it manages the server."
        >
          <RawKeyPanel
            rawKey={issued.raw_key}
            fileName="latchkey-admin-key"
            action="Go on"
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
