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

/** @throws Error that says what to do where there is no Chromium at `executablePath` */
export async function openBrowser(executablePath: string): Promise<Browser> {
  try {
    accessSync(executablePath, constants.X_OK);
  } catch (cause) {
    const message = `Chromium is not there (looked for ${executablePath}); install it, or name it in CHROMIUM_PATH`;
    throw new Error(message, { cause });
  }
  return chromium.launch({ executablePath, args });
}
