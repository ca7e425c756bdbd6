import { Notice } from '../components/notice.tsx';
import { useApp } from '../session/app-context.ts';
import { useStore } from '../state/store.ts';
import styles from './clock-notice.module.css';
import { describeClock } from './describe-clock.ts';

/** Says that the clock of this computer is wrong, because every other program on it goes by it. */
export function ClockNotice() {
  const words = describeClock(useStore(useApp().clock.offsetMs));
  if (words === null) return null;
  return (
    <div className={styles.place}>
      <Notice role="status">
        The clock of this computer is {words}. Times on this page are counted by the server’s clock.
      </Notice>
    </div>
  );
}
