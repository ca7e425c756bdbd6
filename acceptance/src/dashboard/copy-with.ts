import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const nothing = 'nothing was copied';

/** Presses the button with this name and waits until it has copied. @returns the content of the clipboard */
export async function copyWith(page: Page, button: string): Promise<string> {
  await page.evaluate(`navigator.clipboard.writeText('${nothing}')`);
  await page.getByRole('button', { name: button, exact: true }).click();
  const read = async () => String(await page.evaluate('navigator.clipboard.readText()'));
  await expect.poll(read).not.toBe(nothing);
  return read();
}
