import styles from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

export interface CodeBlockProps {
  /** Names it: "Command". */
  what: string;
  text: string;
  /** What the button copies, where that has more in it than should be on the screen. */
  copied?: string;
}

/** Lines to be copied and run. Long ones go on below, beside the room of the button. */
export function CodeBlock({ what, text, copied = text }: CodeBlockProps) {
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard */}
      <section className={styles.text} tabIndex={0} aria-label={what}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
      <span className={styles.copy}>
        <CopyButton text={copied} what={what} />
      </span>
    </div>
  );
}
