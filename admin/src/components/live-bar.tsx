import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { StreamState } from '../api/events.ts';
import { useApp, useCurrentApiKey } from '../session/app-context.ts';
import { may } from '../session/permissions.ts';
import { useStore } from '../state/store.ts';
import { formatCount } from './format-numbers.ts';
import { Icon } from './icon.tsx';
import styles from './live-bar.module.css';

interface LiveBarProps {
  /** Number of new rows since the list was read; a text if it is not exact: "50 or more". */
  arrived: number | string;
  /** Plural noun of the rows: "keys". */
  noun: string;
  /** Adds them to the list. */
  onShow: () => void;
  /** Further information, such as a count. */
  children?: ReactNode;
}

/** Between filters and table: the state of the event stream, and new rows. Its space is reserved, so nothing moves. */
export function LiveBar({ arrived, noun, onShow, children }: LiveBarProps) {
  return (
    <div className={styles.bar}>
      <LiveBadge />
      {children}
      {arrived !== 0 && (
        <Button
          style={{ gridColumn: 3, justifySelf: 'end' }}
          size="compact-md"
          variant="light"
          leftSection={<Icon name="up" size={16} />}
          onClick={onShow}
        >
          {typeof arrived === 'number' ? formatCount(arrived) : arrived} new
        </Button>
      )}
      {/* Announced once, not for every row. The button shows the number. */}
      <span role="status" className="visually-hidden">
        {arrived !== 0 && `New ${noun} are available.`}
      </span>
    </div>
  );
}

const words: Record<StreamState, string> = {
  off: 'Connecting…',
  opening: 'Connecting…',
  live: 'Live',
  broken: 'Reconnecting…',
};

/** Whether the page receives events of the server. It alone is drawn again when that changes, and not its page. */
export function LiveBadge() {
  const state = useStore(useApp().events.state);
  const getsEvents = may(useCurrentApiKey(), 'whole-server');
  if (!getsEvents) return null;
  return (
    <span className={styles.stream} data-state={state} role="status">
      {words[state]}
    </span>
  );
}
