import { Button } from '@mantine/core';
import type { RefObject } from 'react';
import { formatCount } from './format-count.ts';
import { Icon } from './icon.tsx';
import styles from './pager.module.css';
import { showTableHead } from './show-table-head.ts';

export interface OffsetPagerProps {
  /** The frame of the table above. */
  table: RefObject<HTMLDivElement | null>;
  /** Counted from 1. */
  page: number;
  pageSize: number;
  /** Rows on all pages. */
  total: number;
  /** What the rows are: one of them, and many. */
  nouns: readonly [one: string, many: string];
  onGo: (page: number) => void;
}

/** Below a table whose length is known: what it shows, and the ways on and back. */
export function OffsetPager({ table, page, pageSize, total, nouns, onGo }: OffsetPagerProps) {
  const turn = (to: number) => () => {
    onGo(to);
    showTableHead(table);
  };
  const last = Math.max(1, Math.ceil(total / pageSize));
  const first = (page - 1) * pageSize + 1;
  const shown = `${formatCount(first)}–${formatCount(Math.min(total, page * pageSize))} of `;
  return (
    <div className={styles.pager}>
      <p role="status" className={styles.summary}>
        {last > 1 && first <= total && shown}
        {formatCount(total)} {total === 1 ? nouns[0] : nouns[1]}
      </p>
      {last > 1 && (
        <nav aria-label="Pages of the list" className={styles.ways}>
          {page > 2 && (
            <Button variant="default" size="compact-md" onClick={turn(1)}>
              First
            </Button>
          )}
          <Button
            variant="default"
            size="compact-md"
            leftSection={<Icon name="left" size={16} />}
            disabled={page <= 1}
            onClick={turn(Math.min(last, page - 1))}
          >
            Back
          </Button>
          <Button
            variant="default"
            size="compact-md"
            rightSection={<Icon name="right" size={16} />}
            disabled={page >= last}
            onClick={turn(page + 1)}
          >
            Next
          </Button>
        </nav>
      )}
    </div>
  );
}
