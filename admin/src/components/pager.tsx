import { Flex, Pagination } from '@mantine/core';
import type { ReactNode, RefObject } from 'react';
import { countOf, formatCount, formatTotal } from './format-numbers.ts';
import { Icon } from './icon.tsx';
import type { CursorPages } from './use-cursor-pages.ts';

interface PagerProps extends Pick<PagerFrameProps, 'table'> {
  pages: CursorPages;
  /** From the latest answer of the server. */
  nextCursor: string | null;
  /** The shown rows, in words: "12 keys". Announced to screen readers when it changes. */
  summary: string;
  /** Rows on all pages; null or undefined if unknown. */
  total?: number | null | undefined;
  /** The server counts no further: `total` then means that many or more. */
  countedUpTo?: number | undefined;
}

/** Below a table that only knows its next page. */
export function Pager({ pages, table, nextCursor, summary, total, countedUpTo }: PagerProps) {
  const hasPages = nextCursor !== null || pages.number > 1;
  const all = total == null ? '' : `, of ${formatTotal(total, countedUpTo)}`;
  return (
    <PagerFrame
      table={table}
      page={pages.number}
      last={nextCursor === null ? pages.number : pages.number + 1}
      onGo={(page) => {
        if (page < pages.number) pages.goBack();
        else if (nextCursor !== null) pages.goNext(nextCursor);
      }}
      summary={hasPages ? `${summary} on page ${pages.number}${all}` : summary}
    />
  );
}

interface OffsetPagerProps extends Pick<PagerFrameProps, 'table' | 'page' | 'onGo'> {
  pageSize: number;
  /** Rows on all pages. */
  total: number;
  /** Name of a row, singular. */
  noun: string;
}

/** Below a table of known length: the range that is shown, and every page by its number. */
export function OffsetPager({ table, page, pageSize, total, noun, onGo }: OffsetPagerProps) {
  const last = Math.max(1, Math.ceil(total / pageSize));
  const first = (page - 1) * pageSize + 1;
  const range = `${formatCount(first)}–${formatCount(Math.min(total, page * pageSize))} of `;
  const count = countOf(total, noun);
  return (
    <PagerFrame
      table={table}
      page={page}
      last={last}
      onGo={onGo}
      summary={last > 1 && first <= total ? range + count : count}
    >
      <Pagination.Items />
    </PagerFrame>
  );
}

interface PagerFrameProps {
  /** The frame of the table above. */
  table: RefObject<HTMLDivElement | null>;
  /** Counted from 1. */
  page: number;
  /** The last page that can be reached from here. */
  last: number;
  onGo: (page: number) => void;
  summary: string;
  children?: ReactNode;
}

const Left = () => <Icon name="left" size={18} />;
const Right = () => <Icon name="right" size={18} />;

function PagerFrame({ table, page, last, onGo, summary, children }: PagerFrameProps) {
  const go = (to: number) => {
    onGo(to);
    // The keyboard continues from the head of the table: on the next page the pressed button may be disabled or gone.
    table.current?.focus({ preventScroll: true });
    table.current?.scrollIntoView({ block: 'start' });
  };
  return (
    <Flex
      wrap="wrap"
      align="center"
      justify="space-between"
      gap="0.5rem 1rem"
      mih="2rem"
      mt="0.875rem"
      fz="sm"
    >
      <p role="status" className="quiet">
        {summary}
      </p>
      {last > 1 && (
        <Pagination.Root total={last} value={page} onChange={go}>
          <Flex component="nav" aria-label="Pages of the list" gap="0.375rem">
            <Pagination.Previous icon={Left} aria-label="Back" title="Back" />
            {children}
            <Pagination.Next icon={Right} aria-label="Next" title="Next" />
          </Flex>
        </Pagination.Root>
      )}
    </Flex>
  );
}
