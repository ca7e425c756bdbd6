import styles from './logo.module.css';

/** The mark and the name. */
export function Logo() {
  return (
    <span className={styles.logo}>
      <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
        <rect width="32" height="32" rx="8" className={styles.ground} />
        <g className={styles.key}>
          <circle cx="12.5" cy="12.5" r="5" />
          <path d="m16.2 16.2 7.3 7.3M20.6 20.6l2.4-2.4" />
        </g>
      </svg>
      Latchkey
    </span>
  );
}
