import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Presses the button with this name. The pages of a browser share one clipboard, so this page gets its own instead.
 *
 * @returns what the button has copied
 */
export async function copyWith(page: Page, button: string): Promise<string> {
  await page.evaluate(`window.copied = [];
    navigator.clipboard.writeText = async (text) => void window.copied.push(text);`);
  await page.getByRole('button', { name: button, exact: true }).click();
  const copied = () => page.evaluate('window.copied[0]');
  await expect.poll(copied).toBeDefined();
  return String(await copied());
}
