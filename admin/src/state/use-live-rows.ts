import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useEvents, useLiveRefresh } from './use-events.ts';

interface LiveRowsOptions<Page, Row> {
  /** Topic of the events about these rows. */
  topic: 'api-key' | 'content';
  /** Of the shown page. */
  queryKey: QueryKey;
  rowsOf: (page: Page) => readonly Row[];
  withRows: (page: Page, rows: readonly Row[]) => Page;
  /** Reads the page again. */
  read: () => Promise<Page>;
  /** New rows belong to the first page, so they are counted there only. */
  isFirst: boolean;
}

const noIds: readonly string[] = [];

/**
 * Keeps a page of a list up to date: rows change in place. New rows are counted and not inserted, so that nothing moves under the
 * pointer. An empty page shows them at once.
 *
 * @returns the number of rows that belong to the page and are not on it yet
 */
export function useLiveRows<Page, Row extends { id: string }>(options: LiveRowsOptions<Page, Row>): number {
  const { topic, queryKey, rowsOf, withRows, read, isFirst } = options;
  const queries = useQueryClient();
  const list = JSON.stringify(queryKey);
  const [seen, setSeen] = useState({ list, ids: noIds });
  const put = (changed: readonly Row[]) =>
    queries.setQueryData<Page>(queryKey, (page) => {
      if (!page) return page;
      const rows = updateRows(rowsOf(page), changed);
      return rows === rowsOf(page) ? page : withRows(page, rows);
    });
  const refresh = () => {
    read().then(
      (fresh) => {
        const known = queries.getQueryData<Page>(queryKey);
        if (known && rowsOf(known).length === 0) return queries.setQueryData<Page>(queryKey, fresh);
        put(rowsOf(fresh));
        return setSeen({ list, ids: rowsOf(fresh).map(({ id }) => id) });
      },
      // The list is read again as soon as the server answers.
      () => {},
    );
  };
  useEvents((event) => {
    if (event.topic === topic && isRow<Row>(event.data)) put([event.data]);
  });
  const isOfInterest = (event: { topic: string }) => event.topic === topic || event.topic === 'missed';
  useLiveRefresh(refresh, isOfInterest);
  const page = queries.getQueryData<Page>(queryKey);
  const shown = new Set(page ? rowsOf(page).map(({ id }) => id) : []);
  const ids = isFirst && page && seen.list === list ? seen.ids : noIds;
  return ids.filter((id) => !shown.has(id)).length;
}

function isRow<Row extends { id: string }>(data: unknown): data is Row {
  return typeof data === 'object' && data !== null && 'id' in data;
}

/**
 * Updates rows in place. No row is added or removed.
 *
 * @param changed fields that an event leaves out keep their values
 * @returns the same array if none of the changed rows is on the list
 */
export function updateRows<Row extends { id: string }>(
  rows: readonly Row[],
  changed: readonly Row[],
): readonly Row[] {
  const byId = new Map(changed.map((row) => [row.id, row]));
  if (!rows.some(({ id }) => byId.has(id))) return rows;
  return rows.map((row) => ({ ...row, ...byId.get(row.id) }));
}
