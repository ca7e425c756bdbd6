import { Notification } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../components/icon.tsx';
import { Notice } from '../components/notice.tsx';
import { useApp } from '../session/app-context.ts';
import { useStore } from '../state/store.ts';
import { useEachSecond } from '../state/time.ts';
import { describeClock } from './describe-clock.ts';
import styles from './notices.module.css';

/** Confirms what was done. The region is announced politely, so a notification has no role of its own. */
export function Toaster() {
  const shown = useStore(useApp().toasts.shown);
  return (
    <div className={styles.toasts} role="status">
      {shown.map(({ id, text }) => (
        <Notification
          key={id}
          role="none"
          color="good"
          icon={<Icon name="check" size={18} />}
          withBorder
          withCloseButton={false}
        >
          {text}
        </Notification>
      ))}
    </div>
  );
}

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
    <div className={styles.bannerPlace} role="status">
      {title !== false && (
        <Notice kind="warning" role="none" title={title}>
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

/** Warns that this computer's clock is wrong: every other program on it uses that clock. */
export function ClockNotice() {
  const words = describeClock(useStore(useApp().clock.offsetMs));
  if (words === null) return null;
  return (
    <Notice role="status">The clock of this computer is {words}. This page uses the server’s clock.</Notice>
  );
}
