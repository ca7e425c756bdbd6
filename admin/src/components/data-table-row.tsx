import styles from './data-table.module.css';
import type { Column } from './data-table.tsx';

/** @internal a row of `DataTable` */
export function DataTableRow<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: a style changes its display, see DataTable
    <tr role="row">
      {columns.map(({ id, header, cell, isHeaderHidden }, index) =>
        index === 0 ? (
          // biome-ignore lint/a11y/noRedundantRoles: a style changes its display, see DataTable
          <th key={id} role="rowheader" scope="row">
            {cell(row)}
          </th>
        ) : (
          // biome-ignore lint/a11y/noRedundantRoles: a style changes its display, see DataTable
          <td key={id} role="cell" data-bare={isHeaderHidden}>
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
