import type { ReactNode } from 'react';
import styles from './fact-list.module.css';

/** Values by their names. Null, undefined and false are not shown. */
export type Facts = Readonly<Record<string, ReactNode>>;

/** A list of names with their values. */
export function FactList({ facts }: { facts: Facts }) {
  return (
    <dl className="ruled">
      {Object.entries(facts).map(
        ([name, value]) =>
          value != null &&
          value !== false && (
            <div key={name} className={styles.fact}>
              <dt className="note">{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Shown in place of an optional value that was not given. */
export function NotSet() {
  return (
    <span className="quiet" title="Not set">
      <span aria-hidden="true">—</span>
      <span className="visually-hidden">not set</span>
    </span>
  );
}
