import { useHistoryState } from 'wouter/use-browser-location';

/** Rows on a page of any list: fills two windows, and is quick to read and draw. */
export const pageSize = 50;

/** The key of the cursors in the state of a history entry. */
const stateKey = 'cursors';

/**
 * The cursors that lead to a page of a list. The last one is the page's own; the first page has an empty list.
 *
 * @param state of the history entry; any value
 * @param list identifies the list: its filter
 */
export function readCursors(state: unknown, list: string): readonly string[] {
  if (typeof state !== 'object' || state === null || !(stateKey in state)) return [];
  const way = state[stateKey] as { list?: unknown; cursors?: unknown } | null;
  if (way?.list !== list || !Array.isArray(way.cursors)) return [];
  return way.cursors.filter((cursor) => typeof cursor === 'string');
}

/** Adds a history entry for another page of the list, at the same address. */
export function pushCursors(
  history: Pick<History, 'state' | 'pushState'>,
  list: string,
  cursors: readonly string[],
): void {
  if (readCursors(history.state, list).length === 0 && cursors.length === 0) return;
  history.pushState({ [stateKey]: { list, cursors } }, '');
}

export interface CursorPages {
  /** Of the shown page; null for the first page. */
  cursor: string | null;
  /** Counted from 1. */
  number: number;
  goNext: (cursor: string) => void;
  goBack: () => void;
  goFirst: () => void;
}

/**
 * Pages through a list whose answers name only the next page. The cursors so far are kept in the browser's history: its back
 * button leads to the previous page of the list, and from another page back to the page that was left.
 *
 * @param list identifies the list: its filter. Another list starts at its first page
 */
export function useCursorPages(list: string): CursorPages {
  const cursors = readCursors(useHistoryState(), list);
  return {
    cursor: cursors.at(-1) ?? null,
    number: cursors.length + 1,
    goNext: (cursor) => pushCursors(history, list, [...cursors, cursor]),
    goBack: () => pushCursors(history, list, cursors.slice(0, -1)),
    goFirst: () => pushCursors(history, list, []),
  };
}
