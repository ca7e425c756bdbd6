import { type Browser, chromium } from 'playwright-core';
import { afterAll } from 'vitest';
import { readShared } from './target.ts';

/** The Chromium that files of tests share. What a file opens in it is closed after the file's last test. */
export async function openSharedBrowser(): Promise<Browser> {
  const browser = await chromium.connect(await readShared<string>('/browser'));
  // Closes the contexts of this connection, not the browser.
  afterAll(() => browser.close());
  return browser;
}
