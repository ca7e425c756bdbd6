import { Button } from '@mantine/core';
import { Notice } from '../../components/notice.tsx';
import { StepFrame } from './step-frame.tsx';

export interface TakenNoticeProps {
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
