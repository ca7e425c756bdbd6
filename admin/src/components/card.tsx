import type { ReactNode } from 'react';
import styles from './card.module.css';

/** A sheet that holds together what belongs together. */
export function Card({ children }: { children: ReactNode }) {
  return <div className={styles.card}>{children}</div>;
}
