import type { ReactNode } from 'react';
import { Notice } from '../components/notice.tsx';
import { useApp } from '../session/app-context.ts';
import { useStore } from '../state/store.ts';
import { useEachSecond } from '../state/time.ts';
import styles from './banners.module.css';

/** Shown while the server does not answer. */
export function ConnectionBanner() {
  const contact = useStore(useApp().connection.state);
  return (
    <Banner title={contact === 'lost' && 'The server does not answer.'}>
      Trying again. What you see may be out of date.
    </Banner>
  );
}

/** Shown while the server takes no more requests. */
export function LimitBanner() {
  const untilMs = useStore(useApp().rateLimit.pausedUntilMs);
  return (
    <Banner title={untilMs !== null && 'Too many requests.'}>
      What you see stays. The page continues by itself
      {untilMs !== null && <SecondsLeft untilMs={untilMs} />}.
    </Banner>
  );
}

/** Lies over the page, so that nothing moves. The live region is always there: one that appears is not announced. */
function Banner({ title, children }: { title: string | false; children: ReactNode }) {
  return (
    <div className={styles.place} role="status">
      {title !== false && (
        <Notice kind="warning" role="none" title={title} className={styles.banner}>
          {children}
        </Notice>
      )}
    </div>
  );
}

/** Hidden from screen readers, which would announce every second. */
function SecondsLeft({ untilMs }: { untilMs: number }) {
  // By this computer's clock: the limit has set its end by the same clock.
  const seconds = useEachSecond(() => Math.max(0, Math.ceil((untilMs - Date.now()) / 1_000)));
  return <span aria-hidden="true"> in {seconds} s</span>;
}
