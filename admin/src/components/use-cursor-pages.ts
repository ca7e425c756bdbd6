import { useState } from 'react';

export interface CursorPages {
  /** Of the page that is shown; null for the first. */
  cursor: string | null;
  /** Counted from 1. */
  number: number;
  goNext: (cursor: string) => void;
  goBack: () => void;
}

/**
 * Walks through a list that only knows its next page, and back by remembering the way.
 *
 * @param list what the list is narrowed to: another one begins at its first page
 */
export function useCursorPages(list: string): CursorPages {
  const [way, setWay] = useState<{ list: string; cursors: readonly string[] }>({ list, cursors: [] });
  const cursors = way.list === list ? way.cursors : [];
  return {
    cursor: cursors.at(-1) ?? null,
    number: cursors.length + 1,
    goNext: (cursor) => setWay({ list, cursors: [...cursors, cursor] }),
    goBack: () => setWay({ list, cursors: cursors.slice(0, -1) }),
  };
}
