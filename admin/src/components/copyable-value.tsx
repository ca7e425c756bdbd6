import { CopyButton } from './copy-button.tsx';
import styles from './copyable-value.module.css';

/** An id, a URL or the like, in one line that scrolls in itself, with a button that copies it. */
export function CopyableValue({ text, what }: { text: string; what: string }) {
  return (
    <span className={styles.value}>
      <code className={styles.text}>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}
