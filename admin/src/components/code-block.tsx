import styles from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

export interface CodeBlockProps {
  /** Names it: "Command". */
  what: string;
  text: string;
  /** What the button copies, where that has more in it than should be on the screen. */
  copied?: string;
  /** Whether long lines go on below instead of out of sight. */
  isWrapped?: boolean;
}

/** Lines to be copied and run. */
export function CodeBlock({ what, text, copied = text, isWrapped = false }: CodeBlockProps) {
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard */}
      <section className={styles.text} tabIndex={0} aria-label={what}>
        <pre data-wrapped={isWrapped || undefined}>
          <code>{text}</code>
        </pre>
      </section>
      <span className={styles.copy}>
        <CopyButton text={copied} what={what} />
      </span>
    </div>
  );
}
