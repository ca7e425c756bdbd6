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

/** What to run now, with the ids of this server. */
export function TryStep({ contentId, rawKey, onDone }: TryStepProps) {
  const facts = { origin: window.location.origin, contentId, rawKey };
  return (
    <StepFrame
      title="Fetch its key"
      lead="Your server is ready. The first works as it is; what to fill in is said at the others."
    >
      <div className={styles.example}>
        <h2>The content key</h2>
        <p>Sixteen octets, as a player gets them. Copying fills in your whole API key.</p>
        <CodeBlock what="curl command" text={shownCurlSnippet(facts)} copied={curlSnippet(facts)} />
      </div>
      <div className={styles.example}>
        <h2>Encrypt a video</h2>
        <p>
          Turns a clear HLS playlist into an encrypted one, with a new key every ten segments. Run it in the
          folder of Latchkey; in the place of <code>video/master.m3u8</code> comes your playlist.
        </p>
        <CodeBlock what="encrypt command" text={encryptSnippet(facts)} />
      </div>
      <div className={styles.example}>
        <h2>Play it</h2>
        <p>
          Two values are still your own: the address of the encrypted playlist, and <code>/viewer-token</code>
          , where your application gives the viewer a JWT that it has signed. An API key never goes into a
          player. The origin of your page belongs into <code>CORS_ORIGINS</code>.
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
