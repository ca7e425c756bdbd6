import { contentOrders, contentStatuses } from '../../api/resources.ts';
import { pageSize } from '../../components/use-cursor-pages.ts';
import { createFilter, searchText } from '../../state/use-address-filter.ts';

export const contentFilter = createFilter({
  q: searchText,
  status: contentStatuses,
  sort: contentOrders,
  /** Counted from 1. Empty for the first one. */
  page: (text) => {
    const page = Number(text);
    return [page, page * pageSize].every(Number.isSafeInteger) && page > 1 ? String(page) : '';
  },
});
