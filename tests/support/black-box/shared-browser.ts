import type { Browser } from 'playwright-core';
import { afterAll, inject, it } from 'vitest';
import { openBrowser, pageBrowser } from '../open-browser.ts';
import { openFirefox } from '../open-firefox.ts';

/** The path of the Firefox that takes the place of Chromium; null in Chromium. */
export const firefoxPath = inject('firefoxPath');
/** For a test of what Firefox shows to nobody. */
export const itInChromium = it.skipIf(firefoxPath !== null);

/**
 * The browser of this process of the tests, which ends with it. One for all of them is reached through another process, which takes a
 * third of the processor time of each page.
 */
let browser: Promise<Browser> | null = null;

/** The browser that files of tests share. What a file opens in it is closed after the file's last test. */
export async function openSharedBrowser(): Promise<Browser> {
  browser ??= firefoxPath ? openFirefox(firefoxPath) : openBrowser(pageBrowser(process.env));
  const opened = await browser;
  afterAll(() => Promise.all(opened.contexts().map((context) => context.close())));
  return opened;
}
