import { NativeSelect } from '@mantine/core';
import { memo, type ReactNode, type RefObject } from 'react';
import { type ColumnSort, directionOf, listOrders, nextOrder, type TableSort } from './column-sort.ts';
import styles from './data-table.module.css';
import { ErrorState } from './errors.tsx';
import { Icon } from './icon.tsx';

export interface Column<Row> {
  /** Each column of a table has another one. */
  header: string;
  cell: (row: Row) => ReactNode;
  /** CSS length. The first column takes the remaining width. */
  width?: string;
  /** Whether only screen readers get the header: for a column of buttons. */
  isHeaderHidden?: boolean;
  /** Only where the server sorts by an index. */
  sort?: ColumnSort | undefined;
}

/** Rows as they were read. */
export interface ListState<Row> {
  /** Undefined until the first answer, and while there is an error. */
  rows: readonly Row[] | undefined;
  error?: unknown;
  /** Reads them again. */
  reload?: () => void;
  /** Whether newer rows are being read. The shown rows are dimmed after a moment. */
  isUpdating?: boolean;
}

export interface DataTableProps<Row> {
  /** Accessible name of the table. */
  label: string;
  columns: readonly Column<Row>[];
  list: ListState<Row>;
  /** Optional. Default: the `id` of the row. */
  rowId?: (row: Row) => string;
  /** Shown in place of rows if the answer has none. */
  empty?: ReactNode;
  /** For a pager, which moves the focus to the head of the table. */
  frame?: RefObject<HTMLDivElement | null>;
  /** The order, for columns with `sort`. */
  sort?: TableSort | undefined;
}

const idOf = (row: unknown) => (row as { id: string }).id;

/** A table that becomes a list of cards on narrow screens. The first column names the row. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, list, rowId = idOf, empty, frame, sort } = props;
  const { rows, error, reload = () => {}, isUpdating = false } = list;
  const place = { ref: frame, tabIndex: -1, className: `panel ${styles.frame}` };
  if (rows === undefined && error)
    return <div {...place}>{<ErrorState error={error} onRetry={reload} />}</div>;
  if (rows?.length === 0) return <div {...place}>{empty}</div>;
  return (
    <div {...place}>
      {/* In place of the headers, while rows are cards. */}
      {sort && (
        <div className={styles.order}>
          <NativeSelect
            aria-label={`Order of ${label.toLowerCase()}`}
            value={sort.order}
            onChange={({ currentTarget }) => sort.onSort(currentTarget.value)}
            data={listOrders(columns)}
          />
        </div>
      )}
      {/* Explicit roles: some screen readers do not treat a table as one after a style changes its display. */}
      {/* biome-ignore-start lint/a11y/noRedundantRoles: see above */}
      <table
        role="table"
        aria-label={label}
        aria-busy={rows === undefined || isUpdating}
        className={styles.table}
      >
        <colgroup>
          {columns.map(({ header, width }) => (
            <col key={header} style={{ width }} />
          ))}
        </colgroup>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <ColumnHeader key={column.header} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" data-updating={isUpdating || undefined}>
          {rows === undefined ? (
            // One element, because a table of placeholders would delay the rows themselves.
            <tr>
              <td colSpan={columns.length} className={styles.whole}>
                <span aria-hidden="true" className={styles.placeholder} />
              </td>
            </tr>
          ) : (
            rows.map((row) => <DataTableRow key={rowId(row)} row={row} columns={columns} />)
          )}
        </tbody>
      </table>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: see above */}
    </div>
  );
}

function ColumnHeader<Row>({ column, sort }: { column: Column<Row>; sort: TableSort | undefined }) {
  const { header, isHeaderHidden, sort: own } = column;
  if (!own || !sort)
    return (
      // biome-ignore lint/a11y/noRedundantRoles: see DataTable
      <th role="columnheader" scope="col">
        <span className={isHeaderHidden ? 'visually-hidden' : undefined}>{header}</span>
      </th>
    );
  const direction = directionOf(own, sort.order);
  return (
    // biome-ignore lint/a11y/noRedundantRoles: see DataTable
    <th role="columnheader" scope="col" aria-sort={direction}>
      <button
        type="button"
        className={styles.sort}
        data-sorted={direction !== undefined || undefined}
        title={own[sort.order]}
        onClick={() => sort.onSort(nextOrder(own, sort.order))}
      >
        {header}
        <Icon
          name={direction === undefined ? 'choose' : direction === 'ascending' ? 'up' : 'down'}
          size={15}
        />
      </button>
      {/* Cards have no head to click, but screen readers still read the head. */}
      <span className={styles.plain}>{header}</span>
    </th>
  );
}

function PlainRow<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: see DataTable
    <tr role="row">
      {columns.map(({ header, cell, isHeaderHidden }, index) =>
        index === 0 ? (
          // biome-ignore lint/a11y/noRedundantRoles: see DataTable
          <th key={header} role="rowheader" scope="row">
            {cell(row)}
          </th>
        ) : (
          // biome-ignore lint/a11y/noRedundantRoles: see DataTable
          <td key={header} role="cell" data-bare={isHeaderHidden}>
            {!isHeaderHidden && (
              <span className={styles.label} aria-hidden="true">
                {header}
              </span>
            )}
            <span className={styles.value}>{cell(row)}</span>
          </td>
        ),
      )}
    </tr>
  );
}

/** Drawn again only where the row or the columns are others: a page is drawn again with each new count and state of the stream. */
const DataTableRow = memo(PlainRow) as typeof PlainRow;
