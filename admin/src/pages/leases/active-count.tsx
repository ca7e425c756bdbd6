import { formatCount } from '../../components/format-count.ts';
import styles from './leases.module.css';

/** @param active how many leases are; undefined until known */
export function ActiveCount({ active }: { active: number | undefined }) {
  return (
    <span className={styles.count} data-testid="active-leases">
      {active === undefined ? (
        'Counting…'
      ) : (
        <>
          <strong>{formatCount(active)}</strong> active
        </>
      )}
    </span>
  );
}
