import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The longest time between two polls of a page, or before it tries again. */
const stepMs = 15_000;

/** Moves the clock of a page on until this is true of it. `clock.install()` is called before the page is loaded. */
export async function passTimeUntil(page: Page, isTrue: () => Promise<boolean>): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.clock.fastForward(stepMs);
        return isTrue();
      },
      // An answer may be on its way.
      { interval: 200 },
    )
    .toBe(true);
}
