import { useEachSecond } from '../state/ticker.ts';
import { formatCountdown } from './format-countdown.ts';
import { formatExact } from './format-time.ts';
import styles from './relative-time.module.css';

/** How long until a time, counting down; the exact time on hover and on focus, as `RelativeTime` has it. @param at ISO 8601 */
export function Countdown({ at, isFocusable = false }: { at: string; isFocusable?: boolean }) {
  const ms = Date.parse(at);
  const left = useEachSecond((now) => formatCountdown(ms - now));
  const exact = formatExact(new Date(ms));
  return (
    <time className={styles.time} dateTime={at} data-exact={exact} {...(isFocusable ? { tabIndex: 0 } : {})}>
      {left}
      <span className="visually-hidden"> ({exact})</span>
    </time>
  );
}
