import { Button } from '@mantine/core';
import type { StreamState } from '../../api/events.ts';
import { countOf, formatCount } from '../../components/format-count.ts';
import { Icon } from '../../components/icon.tsx';
import { LiveBadge } from '../../components/live-badge.tsx';
import styles from './leases.module.css';

export interface LiveBarProps {
  stream: StreamState;
  /** Undefined until known. */
  active: number | undefined;
  arrived: number;
  onShow: () => void;
}

/** Between the filters and the table: whether it follows the server, how many are active, and what is new. */
export function LiveBar({ stream, active, arrived, onShow }: LiveBarProps) {
  return (
    <div className={styles.bar}>
      <LiveBadge state={stream} />
      <span className={styles.count} data-testid="active-leases">
        {active === undefined ? (
          'Counting…'
        ) : (
          <>
            <strong>{formatCount(active)}</strong> active
          </>
        )}
      </span>
      <span className={styles.arrived}>
        {arrived > 0 && (
          <Button
            size="compact-md"
            variant="light"
            leftSection={<Icon name="up" size={16} />}
            onClick={onShow}
          >
            {formatCount(arrived)} new
          </Button>
        )}
      </span>
      {/* Said once, not with each lease: the button has the number. */}
      <span role="status" className="visually-hidden">
        {arrived > 0 && 'New leases have come.'}
      </span>
    </div>
  );
}

/** What a page of leases shows, for its pager. */
export function describePage(count: number): string {
  return countOf(count, 'lease');
}
