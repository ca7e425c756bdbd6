import type { Browser } from 'playwright-core';
import { afterAll } from 'vitest';
import { openBrowser, pageBrowser } from '../open-browser.ts';

/**
 * The Chromium of this process of the tests, which ends with it. One for all of them is reached through another process, which takes a
 * third of the processor time of each page.
 */
let browser: Promise<Browser> | null = null;

/** The Chromium that files of tests share. What a file opens in it is closed after the file's last test. */
export async function openSharedBrowser(): Promise<Browser> {
  browser ??= openBrowser(pageBrowser(process.env));
  const opened = await browser;
  afterAll(() => Promise.all(opened.contexts().map((context) => context.close())));
  return opened;
}
