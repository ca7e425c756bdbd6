import type { ReactNode } from 'react';
import styles from './filter-row.module.css';

/** Search and filters above a table. */
export function FilterRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <search className={styles.row} aria-label={label}>
      {children}
    </search>
  );
}
