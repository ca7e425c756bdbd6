import { Notification } from '@mantine/core';
import { useApp } from '../session/app-context.ts';
import { useStore } from '../state/store.ts';
import { Icon } from './icon.tsx';
import styles from './toaster.module.css';

/** Confirms what was done. The region is announced politely, so a notification has no role of its own. */
export function Toaster() {
  const shown = useStore(useApp().toasts.shown);
  return (
    <div className={styles.place} role="status">
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
