import type { ReactNode } from 'react';
import styles from './badge.module.css';

export type BadgeKind = 'plain' | 'good' | 'warning' | 'bad';

/** A state in one word. The dot repeats it in colour, never alone. */
export function Badge({ kind = 'plain', children }: { kind?: BadgeKind; children: ReactNode }) {
  return (
    <span className={styles.badge} data-kind={kind}>
      {children}
    </span>
  );
}
