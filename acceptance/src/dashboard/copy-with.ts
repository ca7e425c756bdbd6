import type { Page } from 'playwright-core';

/**
 * Presses the button with this name. The pages of a browser share one clipboard, so this page gets its own instead.
 *
 * @returns what the button has copied
 */
export async function copyWith(page: Page, button: string): Promise<string> {
  await page.evaluate(`window.copied = new Promise((resolve) => {
    navigator.clipboard.writeText = async (text) => resolve(text);
  })`);
  await page.getByRole('button', { name: button, exact: true }).click();
  return String(await page.evaluate('window.copied'));
}
