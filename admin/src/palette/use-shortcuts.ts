import { useWindowEvent } from '@mantine/hooks';
import { useRef } from 'react';
import { useLocation } from 'wouter';

/** How long `g` waits for the second key. Longer than slow typing, shorter than forgetting. */
const waitMs = 1_500;

/** The keys that open the palette. */
export const paletteKeys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

interface ShortcutsOptions {
  pages: readonly { path: string; shortcut: string }[];
  openPalette: () => void;
  /** Shows the keys. */
  openHelp: () => void;
}

/**
 * The keys of the dashboard: `/` moves the focus to the page's search field, Ctrl+K or ⌘K opens the palette, `g` with the letter of a
 * page goes there, and `?` lists them. Keys without Ctrl or ⌘ do nothing while the admin is typing, and none does while a dialog is open.
 */
export function useShortcuts({ pages, openPalette, openHelp }: ShortcutsOptions): void {
  const [, navigate] = useLocation();
  const goingUntilMs = useRef(0);
  useWindowEvent('keydown', (event) => {
    if (event.altKey || event.repeat || document.querySelector('[role="dialog"][aria-modal="true"]')) return;
    const key = event.key.toLowerCase();
    const isGoing = event.timeStamp < goingUntilMs.current;
    goingUntilMs.current = 0;
    if (event.ctrlKey || event.metaKey) {
      if (key !== 'k' || event.shiftKey) return;
      event.preventDefault();
      return openPalette();
    }
    const { target } = event;
    if (target instanceof Element && target.closest('input, textarea, select, [contenteditable]')) return;
    const page = isGoing ? pages.find(({ shortcut }) => shortcut === key) : undefined;
    if (page) {
      event.preventDefault();
      navigate(page.path);
    } else if (key === 'g') goingUntilMs.current = event.timeStamp + waitMs;
    else if (key === '/') focusSearch(event);
    else if (key === '?') openHelp();
  });
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>('input[type="search"]');
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
}
