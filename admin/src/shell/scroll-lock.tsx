import type { ReactNode } from 'react';

/**
 * Takes the place of the scroll lock of Mantine's dialogs, which writes a `<style>` element that the page's policy forbids. The theme
 * turns it off, and `base.css` locks instead.
 */
export function RemoveScroll({ children }: { children: ReactNode }) {
  return children;
}
