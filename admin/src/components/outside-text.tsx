import type { ReactNode } from 'react';
import { markDirection } from './mark-direction.ts';
import styles from './outside-text.module.css';

interface OutsideTextProps {
  text: string;
  className?: string | undefined;
  title?: string;
}

/**
 * A name, an ID or a reason that somebody else chose. Its direction does not reach the words around it, and characters that would
 * turn it around are shown by their code points.
 */
export function OutsideText({ text, ...attributes }: OutsideTextProps): ReactNode {
  const parts = markDirection(text);
  return (
    <bdi {...attributes}>
      {parts.map(({ text: part, isMark }, place) =>
        isMark ? (
          <span key={place} className={styles.mark} title="A character that changes the direction of text">
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </bdi>
  );
}
