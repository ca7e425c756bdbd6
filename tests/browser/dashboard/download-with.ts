import { buffer } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';

/** Presses a control that saves a file. */
export async function downloadWith(page: Page, control: Locator): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), control.click()]);
  const content = await buffer(await download.createReadStream());
  return { name: download.suggestedFilename(), text: content.toString('utf8') };
}
