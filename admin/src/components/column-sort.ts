/** How the server can sort a list by a column. */
export interface ColumnSort {
  /** Name of the field in the API. An order is this name; a minus in front means descending. */
  by: string;
  /** The directions in words, such as "oldest first". The server has no order in a direction that is missing. */
  ascending?: string;
  descending?: string;
  /** Whether the first click sorts descending, as for times. */
  isDescendingFirst?: boolean;
}

/** The order of a table. */
export interface TableSort {
  /** As in the API: `name`, `-createdAt`. */
  order: string;
  onSort: (order: string) => void;
}

/** `aria-sort` of a column; undefined where the list is in another order. */
export function directionOf({ by }: ColumnSort, order: string): 'ascending' | 'descending' | undefined {
  if (order === by) return 'ascending';
  return order === `-${by}` ? 'descending' : undefined;
}

/** The order after a click on the header of a column. */
export function nextOrder(sort: ColumnSort, order: string): string {
  const direction = directionOf(sort, order);
  const isNext = direction === undefined ? sort.isDescendingFirst === true : direction === 'ascending';
  const isDescending = sort.descending !== undefined && (isNext || sort.ascending === undefined);
  return isDescending ? `-${sort.by}` : sort.by;
}

/** Every order that the columns offer, in words. */
export function listOrders(
  columns: readonly { header: string; sort?: ColumnSort | undefined }[],
): { value: string; label: string }[] {
  return columns.flatMap(({ header, sort }) => [
    ...(sort?.descending ? [{ value: `-${sort.by}`, label: `${header}: ${sort.descending}` }] : []),
    ...(sort?.ascending ? [{ value: sort.by, label: `${header}: ${sort.ascending}` }] : []),
  ]);
}

/** A column of creation times. */
export const byCreation: ColumnSort = {
  by: 'createdAt',
  ascending: 'oldest first',
  descending: 'newest first',
  isDescendingFirst: true,
};

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
