import { useApp } from '../session/app-context.ts';
import { useStore } from '../state/store.ts';
import { Icon } from './icon.tsx';
import styles from './toaster.module.css';

/** Where what was done is said. */
export function Toaster() {
  const shown = useStore(useApp().toasts.shown);
  return (
    <div className={styles.place} role="status">
      {shown.map(({ id, text }) => (
        <p key={id} className={styles.toast}>
          <Icon name="check" size={18} />
          <span>{text}</span>
        </p>
      ))}
    </div>
  );
}
