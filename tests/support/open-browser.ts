import { accessSync, constants } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/**
 * Chromium 156 has a page for the suggestions of its address bar, and loads it anew with each window, without one to be seen too. That
 * takes three times as long as the page of a test.
 */
const suggestions = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'PreloadTopChromeWebUI'];
/** The features that Playwright 1.65 turns off. They would be on again, since the last switch of a name counts. */
const offInPlaywright = [
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
  'AimEnabled',
];

const args = [
  `--disable-features=${[...suggestions, ...offInPlaywright].join(',')}`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
  // Pages of one site and profile share a process, and so what it has compiled.
  '--process-per-site',
];

/** @throws Error that explains what to do if Chromium is not at `executablePath` */
export async function openBrowser(executablePath: string): Promise<Browser> {
  checkProgram(executablePath);
  return chromium.launch({ executablePath, args });
}

function checkProgram(executablePath: string): void {
  try {
    accessSync(executablePath, constants.X_OK);
  } catch (cause) {
    const message = `Chromium is not at ${executablePath}: install it, or set CHROMIUM_PATH to its path`;
    throw new Error(message, { cause });
  }
}

/** The program for pages whose tests do not depend on how a window closes: the headless shell if there is one. */
export function pageBrowser({
  HEADLESS_SHELL_PATH,
  CHROMIUM_PATH = '/usr/bin/chromium',
}: NodeJS.ProcessEnv): string {
  return HEADLESS_SHELL_PATH ?? CHROMIUM_PATH;
}
