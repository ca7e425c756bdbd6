import { Button } from '@mantine/core';
import type { RefObject } from 'react';
import { formatCount } from './format-numbers.ts';
import { Icon } from './icon.tsx';
import styles from './pager.module.css';
import type { CursorPages } from './use-cursor-pages.ts';

interface PagerProps {
  pages: CursorPages;
  /** The frame of the table above. */
  table: RefObject<HTMLDivElement | null>;
  /** As the server's last answer has it. */
  nextCursor: string | null;
  /** What is shown, in words: "12 keys". Said to screen readers whenever it changes. */
  summary: string;
}

/** Below a table: what it shows, and the ways on and back. */
export function Pager({ pages, table, nextCursor, summary }: PagerProps) {
  const turn = (go: () => void) => () => {
    go();
    showTableHead(table);
  };
  const isPaged = nextCursor !== null || pages.number > 1;
  return (
    <div className={styles.pager}>
      <p role="status" className={styles.summary}>
        {summary}
        {isPaged && ` on page ${pages.number}`}
      </p>
      {isPaged && (
        <nav aria-label="Pages of the list" className={styles.ways}>
          <Button
            variant="default"
            size="compact-md"
            leftSection={<Icon name="left" size={16} />}
            disabled={pages.number === 1}
            onClick={turn(pages.goBack)}
          >
            Back
          </Button>
          <Button
            variant="default"
            size="compact-md"
            rightSection={<Icon name="right" size={16} />}
            disabled={nextCursor === null}
            onClick={turn(() => nextCursor !== null && pages.goNext(nextCursor))}
          >
            Next
          </Button>
        </nav>
      )}
    </div>
  );
}

interface OffsetPagerProps {
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

/**
 * After another page of a list was asked for: its head is in view, and is where the keyboard goes on from, because the button
 * that was pressed may be gone or disabled on that page.
 */
function showTableHead(table: RefObject<HTMLDivElement | null>): void {
  table.current?.focus({ preventScroll: true });
  table.current?.scrollIntoView({ block: 'start' });
}
