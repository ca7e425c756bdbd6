import { type ReactNode, useRef } from 'react';
import { DataTable, type DataTableProps, type ListState } from './data-table.tsx';
import { FilterRow } from './filters.tsx';
import { countOf } from './format-numbers.ts';
import { LiveBar } from './live-bar.tsx';
import { PageHead } from './page-head.tsx';
import { OffsetPager, Pager } from './pager.tsx';
import type { CursorPages } from './use-cursor-pages.ts';

/** One page of a list, as it was read. */
export interface ListPage<Row> extends ListState<Row> {
  /** Null or undefined on the last page. */
  nextCursor?: string | null;
  /** Number of rows on all pages. Null or undefined if unknown. */
  total?: number | null | undefined;
  /** Number of rows that belong to the list and are not on it yet; a text if it is not exact. Undefined for a list that is not live. */
  arrived?: number | string | undefined;
  reload: () => void;
}

interface ResourceListProps<Row> extends Omit<DataTableProps<Row>, 'list' | 'frame'> {
  list: ListPage<Row>;
  /** Name of a row, in singular. */
  noun: string;
  /** The controls above the table. */
  filters?: ReactNode;
  /** Rows of the server, if the table shows several of them as one. */
  count?: number | undefined;
  /** Further information next to the state of the event stream. */
  bar?: ReactNode;
  /** Shows the rows that arrived. Default: reads the list again. */
  onShowNew?: () => void;
  pages?: CursorPages;
  /** The server counts no further. */
  countedUpTo?: number;
  /** In place of `pages`, for a list of known length. Counted from 1. */
  numbered?: { page: number; pageSize: number; onGo: (page: number) => void };
}

/** A list of the server: filters, the rows that arrived, the table and its pages. */
export function ResourceList<Row>(props: ResourceListProps<Row>) {
  const { list, noun, count, filters, bar, onShowNew, pages, countedUpTo, numbered, ...table } = props;
  const { rows, nextCursor = null, total, arrived } = list;
  const frame = useRef<HTMLDivElement>(null);
  const showNew = () => {
    // New rows are on the first page.
    pages?.goFirst();
    (onShowNew ?? list.reload)();
  };
  return (
    <>
      {filters && <FilterRow>{filters}</FilterRow>}
      {arrived !== undefined && (
        <LiveBar arrived={arrived} noun={`${noun}s`} onShow={showNew}>
          {bar}
        </LiveBar>
      )}
      <DataTable frame={frame} list={list} {...table} />
      {rows && pages && (
        <Pager
          {...{ pages, nextCursor, total, countedUpTo }}
          table={frame}
          summary={countOf(count ?? rows.length, noun)}
        />
      )}
      {rows && numbered && <OffsetPager {...numbered} table={frame} total={total ?? 0} noun={noun} />}
    </>
  );
}

interface ResourcePageProps<Row> extends ResourceListProps<Row> {
  title: string;
  /** The purpose of the page, in one sentence. */
  lead: string;
  /** Buttons on the right of the title. */
  actions?: ReactNode;
  /** The open dialog. */
  children?: ReactNode;
}

/** A page that is about one list. */
export function ResourcePage<Row>({ title, lead, actions, children, ...list }: ResourcePageProps<Row>) {
  return (
    <>
      <PageHead {...{ title, lead, actions }} />
      <ResourceList {...list} />
      {children}
    </>
  );
}
