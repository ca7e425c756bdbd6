import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { StreamState } from '../api/events.ts';
import { useApp } from '../session/app-context.ts';
import { useStore } from './store.ts';
import { useEvents, useLiveRefresh } from './use-events.ts';

interface LiveRowsOptions<Page, Row> {
  /** Of the events: what the rows are. */
  topic: 'api-key' | 'content';
  /** Of the page that is shown. */
  queryKey: QueryKey;
  rowsOf: (page: Page) => readonly Row[];
  withRows: (page: Page, rows: readonly Row[]) => Page;
  /** Reads the page anew. */
  read: () => Promise<Page>;
  /** What is new is on the first page: on the others nothing is counted as such. */
  isFirst: boolean;
  isAllowed: boolean;
}

interface LiveRows {
  stream: StreamState;
  /** How many rows belong on the page since it was read, and are not on it. */
  arrived: number;
}

/** From the answer of a list to the opening of the stream it takes a second or two. */
const freshMs = 10_000;
const noIds: readonly string[] = [];

/**
 * Has a page of a list follow the server: rows change where they stand, and new ones are counted rather than put under the
 * pointer. An empty page takes them in at once.
 */
export function useLiveRows<Page, Row extends { id: string }>(options: LiveRowsOptions<Page, Row>): LiveRows {
  const { topic, queryKey, rowsOf, withRows, read, isFirst, isAllowed } = options;
  const queries = useQueryClient();
  const isCounting = useStore(useApp().rateLimit.isCounting);
  const list = JSON.stringify(queryKey);
  const [seen, setSeen] = useState({ list, ids: noIds });
  const put = (changed: readonly Row[]) =>
    queries.setQueryData<Page>(queryKey, (page) => {
      if (!page) return page;
      const rows = takeIn(rowsOf(page), changed);
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
      // The list is read anew as soon as the server answers.
      () => {},
    );
  };
  useEvents((event) => {
    if (event.topic === topic && isRow<Row>(event.data)) put([event.data]);
  }, isAllowed);
  const isOfInterest = (event: { topic: string }) => {
    if (event.topic !== 'missed') return event.topic === topic;
    const readAtMs = queries.getQueryState(queryKey)?.dataUpdatedAt ?? 0;
    // The stream opens with it: where each request counts, what was read a moment ago is not read again.
    return !(isCounting && Date.now() - readAtMs < freshMs);
  };
  const stream = useLiveRefresh(refresh, isOfInterest, isAllowed);
  const page = queries.getQueryData<Page>(queryKey);
  const shown = new Set(page ? rowsOf(page).map(({ id }) => id) : []);
  const ids = isFirst && page && seen.list === list ? seen.ids : noIds;
  return { stream, arrived: ids.filter((id) => !shown.has(id)).length };
}

function isRow<Row extends { id: string }>(data: unknown): data is Row {
  return typeof data === 'object' && data !== null && 'id' in data;
}

/**
 * The rows with what has become of some of them, each in its place: nothing comes and nothing goes.
 *
 * @param changed what an event leaves out of a row stays as it was
 * @returns the same array where none of them is on the list
 */
export function takeIn<Row extends { id: string }>(
  rows: readonly Row[],
  changed: readonly Row[],
): readonly Row[] {
  const byId = new Map(changed.map((row) => [row.id, row]));
  if (!rows.some(({ id }) => byId.has(id))) return rows;
  return rows.map((row) => ({ ...row, ...byId.get(row.id) }));
}
