import { Badge, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { StreamState } from '../api/events.ts';
import { formatCount } from './format-numbers.ts';
import { Icon } from './icon.tsx';
import styles from './live-bar.module.css';

interface LiveBarProps {
  stream: StreamState;
  /** How many rows have come since the list was read; a text where that is not exact: "50 or more". */
  arrived: number | string;
  /** Of the rows, in the plural: "keys". */
  noun: string;
  /** Puts them on the list. */
  onShow: () => void;
  /** What else is known of the rows, such as how many there are. */
  children?: ReactNode;
}

/** Between the filters and the table: whether it follows the server, and what is new. It has its room before that comes. */
export function LiveBar({ stream, arrived, noun, onShow, children }: LiveBarProps) {
  return (
    <div className={styles.bar}>
      <LiveBadge state={stream} />
      {children}
      {arrived !== 0 && (
        <Button
          className={styles.arrived}
          size="compact-md"
          variant="light"
          leftSection={<Icon name="up" size={16} />}
          onClick={onShow}
        >
          {typeof arrived === 'number' ? formatCount(arrived) : arrived} new
        </Button>
      )}
      {/* Said once, not with each row: the button has the number. */}
      <span role="status" className="visually-hidden">
        {arrived !== 0 && `New ${noun} have come.`}
      </span>
    </div>
  );
}

const looks: Record<StreamState, readonly [color: string, words: string]> = {
  off: ['gray', 'Connecting…'],
  opening: ['gray', 'Connecting…'],
  live: ['good', 'Live'],
  broken: ['warn', 'Reconnecting…'],
};

/** Whether the page receives events of the server. */
export function LiveBadge({ state }: { state: StreamState }) {
  const [color, words] = looks[state];
  return (
    <Badge variant="dot" color={color} px={0} role="status">
      {words}
    </Badge>
  );
}
