import { Link } from 'wouter';
import { Icon } from '../../components/icon.tsx';
import type { Concern } from './concerns.ts';
import styles from './overview.module.css';

const kinds = { bad: 'Urgent', warning: 'Warning' };

export interface AttentionListProps {
  concerns: readonly Concern[];
  /** Whether this is how it is now, and not how it was before the server stopped answering. */
  isCurrent: boolean;
}

/** What needs somebody, and what to do about it; one quiet line where nothing does. */
export function AttentionList({ concerns, isCurrent }: AttentionListProps) {
  return (
    <section aria-labelledby="attention" className={styles.attention}>
      <h2 id="attention" className="visually-hidden">
        What needs you
      </h2>
      {concerns.length === 0 ? (
        <p className={styles.calm} data-current={isCurrent}>
          <Icon name={isCurrent ? 'check' : 'info'} size={18} />
          {isCurrent ? 'All clear.' : 'All was clear when the server last answered.'}
        </p>
      ) : (
        <ul className={styles.concerns}>
          {concerns.map(({ id, kind, title, advice, link }) => (
            <li key={id} className={styles.concern} data-kind={kind}>
              <Icon name="warning" size={18} />
              <div>
                <p className={styles.concernTitle}>
                  <span className="visually-hidden">{kinds[kind]}: </span>
                  <bdi>{title}</bdi>
                </p>
                <p className={styles.advice}>
                  {advice} {link && <Link href={link.href}>{link.label}</Link>}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
      {/* Said when it changes, and only then: the list itself is drawn anew every few seconds. */}
      <p role="status" className="visually-hidden">
        {concerns.length === 0 ? '' : concerns.map(({ title }) => title).join('. ')}
      </p>
    </section>
  );
}
