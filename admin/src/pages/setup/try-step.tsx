import { Button } from '@mantine/core';
import { CodeBlock } from '../../components/copying.tsx';
import styles from './setup.module.css';
import { curlSnippet, encryptSnippet, playerSnippet, shownCurlSnippet } from './snippets.ts';
import { StepFrame } from './step-frame.tsx';

interface TryStepProps {
  contentId: string;
  rawKey: string;
  onDone: () => void;
}

/** Commands for this server, ready to run. */
export function TryStep({ contentId, rawKey, onDone }: TryStepProps) {
  const facts = { origin: window.location.origin, contentId, rawKey };
  return (
    <StepFrame
      title="Fetch its key"
      lead="Your server is ready. The first command works as it is. The others name what you fill in."
    >
      <div className={styles.example}>
        <h2>The content key</h2>
        <p>The 16-byte key that players get. The copied command contains your full API key.</p>
        <CodeBlock what="curl command" text={shownCurlSnippet(facts)} copied={curlSnippet(facts)} />
      </div>
      <div className={styles.example}>
        <h2>Encrypt a video</h2>
        <p>
          Turns a clear HLS playlist into an encrypted one, with a new key every ten segments. Run it in the
          Latchkey folder, with your own playlist in place of <code>video/master.m3u8</code>.
        </p>
        <CodeBlock what="encrypt command" text={encryptSnippet(facts)} />
      </div>
      <div className={styles.example}>
        <h2>Play it</h2>
        <p>
          Replace two values: the URL of the encrypted playlist, and <code>/viewer-token</code>, where your
          application returns a JWT that it has signed for the viewer. Never put an API key into a player. Add
          the origin of your page to <code>CORS_ORIGINS</code>.
        </p>
        <CodeBlock what="player snippet" text={playerSnippet(facts)} />
      </div>
      <div className={styles.buttons}>
        <Button size="md" onClick={onDone}>
          Go to the dashboard
        </Button>
      </div>
    </StepFrame>
  );
}
