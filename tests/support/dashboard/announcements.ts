import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Makes a page record the visible texts of its live regions: a notification disappears after some seconds. */
export async function keepAnnouncements(page: Page): Promise<void> {
  await page.addInitScript(`window.announced = [];
  new MutationObserver((records) => {
    for (const { addedNodes } of records)
      for (const node of addedNodes)
        if (node.parentElement?.matches('[role=status]') && node.checkVisibility?.({ visibilityProperty: true }))
          window.announced.push(node.textContent);
  }).observe(document, { childList: true, subtree: true })`);
}

/** Resolves once the page has announced this since it was loaded, even if only for a moment. */
export async function waitForAnnouncement(page: Page, words: string): Promise<void> {
  const announced = () => page.evaluate('window.announced');
  await expect.poll(announced).toContainEqual(expect.stringContaining(words));
}
