import { useHistoryState } from 'wouter/use-browser-location';
import { readWay, turnTo } from './cursor-way.ts';

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
