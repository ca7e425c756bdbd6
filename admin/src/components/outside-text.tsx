import type { ReactNode } from 'react';
import { breakable } from './breakable.ts';
import { markDirection } from './mark-direction.ts';
import styles from './outside-text.module.css';

interface OutsideTextProps {
  text: string;
  /** Whether it stays on a line: `<wbr>` breaks it even under `white-space: nowrap`. */
  isLine?: boolean;
  className?: string | undefined;
  title?: string;
}

/**
 * A name, an ID or a reason that somebody else chose. Its direction does not reach the words around it, and characters that would
 * turn it around are shown by their code points. A long one is broken between its words if it has some.
 */
export function OutsideText({ text, isLine = false, ...attributes }: OutsideTextProps): ReactNode {
  return (
    <bdi {...attributes}>
      {markDirection(text).map(({ text: part, isMark }, place) => {
        if (!isMark) return isLine ? part : breakable(part).flatMap(behindBreak);
        return (
          <span key={place} className={styles.mark} title="A character that changes the direction of text">
            {part}
          </span>
        );
      })}
    </bdi>
  );
}

const behindBreak = (piece: string, at: number) => (at === 0 ? [piece] : [<wbr key={at} />, piece]);
