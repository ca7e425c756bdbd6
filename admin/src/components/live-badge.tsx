import type { StreamState } from '../api/events.ts';
import styles from './live-badge.module.css';

const words: Record<StreamState, string> = {
  off: 'Connecting…',
  opening: 'Connecting…',
  live: 'Live',
  broken: 'Reconnecting…',
};

/** Whether what is shown follows the server. */
export function LiveBadge({ state }: { state: StreamState }) {
  return (
    <span role="status" className={styles.badge} data-state={state}>
      {words[state]}
    </span>
  );
}
