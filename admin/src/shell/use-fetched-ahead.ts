import { useEffect } from 'react';
import type { NavItem } from './nav-items.ts';

/** Leaves the way to what the first page asks for. */
const afterMs = 200;

/** Fetches the other pages while nothing else is to be done: some kilobytes each, and every click is answered at once. */
export function useFetchedAhead(items: readonly NavItem[]): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      // One that is not fetched now is fetched when it is asked for, and says then what is wrong.
      for (const { load } of items) void load().catch(() => {});
    }, afterMs);
    return () => clearTimeout(timer);
  }, [items]);
}
