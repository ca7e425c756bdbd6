import { useNow } from '../state/now.ts';
import { formatExact, formatRelative } from './format-time.ts';
import styles from './relative-time.module.css';

export interface RelativeTimeProps {
  /** ISO 8601, or null. */
  at: string | null | undefined;
  /** In the place of a time that there is none of. */
  none?: string;
  /** Whether it can be reached by keyboard. Not in tables, where a row's details show every time in full. */
  isFocusable?: boolean;
}

/** A time as a distance from now; the exact one on hover and on focus (`ExactTimeTooltip`), and to screen readers. */
export function RelativeTime({ at, none = 'never', isFocusable = false }: RelativeTimeProps) {
  const now = useNow();
  if (!at) return <span className={styles.none}>{none}</span>;
  const exact = formatExact(new Date(at));
  return (
    <time className={styles.time} dateTime={at} data-exact={exact} {...(isFocusable ? { tabIndex: 0 } : {})}>
      {formatRelative(Date.parse(at), now)}
      <span className="visually-hidden"> ({exact})</span>
    </time>
  );
}
