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

/** The program for pages whose tests do not depend on how a window closes: the headless shell where there is one. */
export function pageBrowser({
  HEADLESS_SHELL_PATH,
  CHROMIUM_PATH = '/usr/bin/chromium',
}: NodeJS.ProcessEnv): string {
  return HEADLESS_SHELL_PATH ?? CHROMIUM_PATH;
}
