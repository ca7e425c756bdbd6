import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Has a page keep what it says in passing, as far as it can be seen: after some seconds that is gone. */
export async function keepAnnouncements(page: Page): Promise<void> {
  await page.addInitScript(`window.announced = [];
  new MutationObserver((records) => {
    for (const { addedNodes } of records)
      for (const node of addedNodes)
        if (node.parentElement?.matches('[role=status]') && node.checkVisibility?.({ visibilityProperty: true }))
          window.announced.push(node.textContent);
  }).observe(document, { childList: true, subtree: true })`);
}

/** Resolves once the page has said this since it was loaded, were it for a moment only. */
export async function waitForAnnouncement(page: Page, words: string): Promise<void> {
  const announced = () => page.evaluate('window.announced');
  await expect.poll(announced).toContainEqual(expect.stringContaining(words));
}
