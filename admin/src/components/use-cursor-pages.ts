import { useHistoryState } from 'wouter/use-browser-location';

/** Under which name the way stands in the state of an entry of the history. */
const name = 'cursorWay';

/**
 * The cursors that led to a page of a list, the last for the page itself; none for the first page.
 *
 * @param state of the entry of the history; anything
 * @param list what the list is narrowed to
 */
export function readWay(state: unknown, list: string): readonly string[] {
  if (typeof state !== 'object' || state === null || !(name in state)) return [];
  const way = state[name] as { list?: unknown; cursors?: unknown } | null;
  if (way?.list !== list || !Array.isArray(way.cursors)) return [];
  return way.cursors.filter((cursor) => typeof cursor === 'string');
}

/** Makes an entry of the history for another page of the list, at the same address. */
export function turnTo(
  history: Pick<History, 'state' | 'pushState'>,
  list: string,
  cursors: readonly string[],
): void {
  if (readWay(history.state, list).length === 0 && cursors.length === 0) return;
  history.pushState({ [name]: { list, cursors } }, '');
}

export interface CursorPages {
  /** Of the page that is shown; null for the first. */
  cursor: string | null;
  /** Counted from 1. */
  number: number;
  goNext: (cursor: string) => void;
  goBack: () => void;
  goFirst: () => void;
}

/**
 * Walks through a list that only knows its next page, and back by remembering the way. The way stands in the history: the
 * button back of the browser leads to the page before, and from elsewhere to the page that was left.
 *
 * @param list what the list is narrowed to: another one begins at its first page
 */
export function useCursorPages(list: string): CursorPages {
  const cursors = readWay(useHistoryState(), list);
  return {
    cursor: cursors.at(-1) ?? null,
    number: cursors.length + 1,
    goNext: (cursor) => turnTo(history, list, [...cursors, cursor]),
    goBack: () => turnTo(history, list, cursors.slice(0, -1)),
    goFirst: () => turnTo(history, list, []),
  };
}
