import { Icon } from '../components/icon.tsx';
import { useApp } from '../session/app-context.ts';
import { useStore } from '../state/store.ts';
import { useEachSecond } from '../state/time.ts';
import styles from './banners.module.css';

/** Says that the server is gone for as long as it is. It lies over the page, so that nothing moves. */
export function ConnectionBanner() {
  const contact = useStore(useApp().connection.state);
  return (
    <div className={styles.place} role="status">
      {contact === 'lost' && (
        <p className={styles.banner}>
          <Icon name="warning" size={18} />
          <span>
            <strong>The server does not answer.</strong> Trying again; what you see may be out of date.
          </span>
        </p>
      )}
    </div>
  );
}

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
