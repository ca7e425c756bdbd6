import { Button } from '@mantine/core';
import type { RefObject } from 'react';
import { Icon } from './icon.tsx';
import styles from './pager.module.css';
import { showTableHead } from './show-table-head.ts';
import type { CursorPages } from './use-cursor-pages.ts';

export interface PagerProps {
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
