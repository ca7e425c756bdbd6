import { Button } from '@mantine/core';
import { Notice } from '../../components/notice.tsx';
import { StepFrame } from './step-frame.tsx';

/** Where somebody else was quicker. */
export function TakenNotice({ onGo }: { onGo: () => void }) {
  return (
    <StepFrame
      title="Somebody else has claimed this server"
      lead="While this page was open, a first API key was made. Whoever made it has it; it is not shown again."
    >
      <Notice kind="warning" title="Was that not you, nor a colleague?">
        Then a stranger manages your server. Stop it, take it off the network, and begin with a new database,
        or make a key on its machine with <code>npx latchkey api-keys create --name rescue</code> and revoke
        theirs.
      </Notice>
      <Button size="md" onClick={onGo}>
        Sign in with a key
      </Button>
    </StepFrame>
  );
}
