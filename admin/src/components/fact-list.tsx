import type { ReactNode } from 'react';
import styles from './fact-list.module.css';

export type Fact = readonly [name: string, value: ReactNode];

/** Names and values of one thing. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name} className={styles.fact}>
          <dt className={styles.name}>{name}</dt>
          <dd className={styles.value}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** In the place of what nobody has told the server. */
export function NotTold() {
  return (
    <span className={styles.none} title="Not told">
      <span aria-hidden="true">—</span>
      <span className="visually-hidden">not told</span>
    </span>
  );
}
