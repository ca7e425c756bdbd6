import type { RefObject } from 'react';

/**
 * After another page of a list was asked for: its head is in view, and is where the keyboard goes on from, because the button
 * that was pressed may be gone or disabled on that page.
 */
export function showTableHead(table: RefObject<HTMLDivElement | null>): void {
  table.current?.focus({ preventScroll: true });
  table.current?.scrollIntoView({ block: 'start' });
}
