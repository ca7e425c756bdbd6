import { accessSync, constants } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
];

/** @throws Error that says what to do if Chromium is not at `executablePath` */
export async function openBrowser(executablePath: string): Promise<Browser> {
  try {
    accessSync(executablePath, constants.X_OK);
  } catch (cause) {
    const message = `Chromium is not at ${executablePath}: install it, or set CHROMIUM_PATH to its path`;
    throw new Error(message, { cause });
  }
  return chromium.launch({ executablePath, args });
}
