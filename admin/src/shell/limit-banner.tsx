import { Icon } from '../components/icon.tsx';
import { useApp } from '../session/app-context.ts';
import { useStore } from '../state/store.ts';
import { useEachSecond } from '../state/ticker.ts';
import styles from './connection-banner.module.css';

/** Says for how long the server takes no more requests. It lies over the page, so that nothing moves. */
export function LimitBanner() {
  const untilMs = useStore(useApp().rateLimit.pausedUntilMs);
  return (
    <div className={styles.place} role="status">
      {untilMs !== null && (
        <p className={styles.banner}>
          <Icon name="warning" size={18} />
          <span>
            <strong>Too many requests for now.</strong> What you see stays; reading goes on by itself
            <Left untilMs={untilMs} />.
          </span>
        </p>
      )}
    </div>
  );
}

/** Not for screen readers, which would say each second. */
function Left({ untilMs }: { untilMs: number }) {
  // Counted by this computer's clock, which the limit has set its end by.
  const seconds = useEachSecond(() => Math.max(0, Math.ceil((untilMs - Date.now()) / 1_000)));
  return <span aria-hidden="true"> in {seconds} s</span>;
}
