import styles from './not-told.module.css';

/** In the place of what nobody has told the server. */
export function NotTold() {
  return (
    <span className={styles.none} title="Not told">
      <span aria-hidden="true">—</span>
      <span className="visually-hidden">not told</span>
    </span>
  );
}
