import { Badge } from '@mantine/core';
import type { Statistics } from '../../api/statistics.ts';
import { Card } from '../../components/card.tsx';
import { RelativeTime } from '../../components/times.tsx';
import { describeDependency, nameOfDependency } from './dependencies.ts';
import styles from './overview.module.css';

/** Dependencies and replicas of the server. */
export function Health({ statistics: { ready, dependencies, replicas } }: { statistics: Statistics }) {
  return (
    <Card>
      <section aria-labelledby="health">
        <h2 id="health" className={styles.heading}>
          Health <Badge color={ready ? 'good' : 'bad'}>{ready ? 'ready' : 'not ready'}</Badge>
        </h2>
        <ul className={styles.rows}>
          {Object.entries(dependencies).map(([name, state]) => (
            <li key={name}>
              <span className={styles.rowName}>
                {nameOfDependency(name)}
                <small>{describeDependency(state)}</small>
              </span>
              <Badge color={state.status === 'up' ? 'good' : 'bad'}>{state.status}</Badge>
            </li>
          ))}
          {replicas.map(({ replica, startedAt }) => (
            <li key={replica}>
              <span className={styles.rowName}>
                {replicas.length === 1 ? 'Serves keys' : 'Replica that serves keys'}
                <small>{replica}</small>
              </span>
              <span className={styles.since}>
                up since <RelativeTime at={startedAt} isFocusable />
              </span>
            </li>
          ))}
        </ul>
      </section>
    </Card>
  );
}
