/**
 * The orders of a list by one column, in words such as "oldest first". An order is named as in the API: by its field, and a minus in front
 * means descending. A click takes the first, and another click the next.
 */
export type ColumnSort = Readonly<Record<string, string>>;

/** The order of a table. */
export interface TableSort {
  /** As in the API: `name`, `-createdAt`. */
  order: string;
  onSort: (order: string) => void;
}

/** `aria-sort` of a column; undefined where the list is in another order. */
export function directionOf(sort: ColumnSort, order: string): 'ascending' | 'descending' | undefined {
  if (!(order in sort)) return undefined;
  return order.startsWith('-') ? 'descending' : 'ascending';
}

/** The order after a click on the header of a column. */
export function nextOrder(sort: ColumnSort, order: string): string {
  const orders = Object.keys(sort);
  return orders[(orders.indexOf(order) + 1) % orders.length] ?? order;
}

/** Every order that the columns offer, in words. A minus comes first. */
export function listOrders(
  columns: readonly { header: string; sort?: ColumnSort | undefined }[],
): { value: string; label: string }[] {
  return columns.flatMap(({ header, sort = {} }) =>
    Object.keys(sort)
      .sort()
      .map((value) => ({ value, label: `${header}: ${sort[value]}` })),
  );
}

/** A column of creation times. */
export const byCreation: ColumnSort = { '-createdAt': 'newest first', createdAt: 'oldest first' };

/** The usual order of most lists. */
const newestFirst = '-createdAt';

/**
 * The order of a table whose filter keeps it.
 *
 * @param order of the filter; null for the usual one, which no address names
 * @param orders every other one
 */
export function sortedBy<Order extends string>(
  order: Order | null,
  orders: readonly Order[],
  onSort: (order: Order | null) => void,
  usual = newestFirst,
): TableSort {
  return {
    order: order ?? usual,
    onSort: (chosen) => onSort(orders.find((each) => each === chosen) ?? null),
  };
}
