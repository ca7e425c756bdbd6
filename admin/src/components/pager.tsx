import { Button } from '@mantine/core';
import { Icon } from './icon.tsx';
import styles from './pager.module.css';
import type { CursorPages } from './use-cursor-pages.ts';

export interface PagerProps {
  pages: CursorPages;
  /** As the server's last answer has it. */
  nextCursor: string | null;
  /** What is shown, in words: "12 keys". Said to screen readers whenever it changes. */
  summary: string;
}

/** Below a table: what it shows, and the ways on and back. */
export function Pager({ pages, nextCursor, summary }: PagerProps) {
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
            onClick={pages.goBack}
          >
            Back
          </Button>
          <Button
            variant="default"
            size="compact-md"
            rightSection={<Icon name="right" size={16} />}
            disabled={nextCursor === null}
            onClick={() => nextCursor !== null && pages.goNext(nextCursor)}
          >
            Next
          </Button>
        </nav>
      )}
    </div>
  );
}
