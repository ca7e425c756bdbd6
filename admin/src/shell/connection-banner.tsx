import { Icon } from '../components/icon.tsx';
import { useApp } from '../session/app-context.ts';
import { useStore } from '../state/store.ts';
import styles from './connection-banner.module.css';

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
