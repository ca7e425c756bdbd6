import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { signIn } from '../sign-in.ts';
import { drawHour } from './draw-hour.ts';

/** A picture: its name, and the page with what has to be there first. */
export interface Shot {
  name: string;
  path: string;
  /** A selector. */
  awaits: string;
}

export interface Studio {
  browser: Browser;
  url: string;
  /** Of the pictures. */
  folder: string;
  /** Signs in first; null for what is seen without. */
  adminKey: string | null;
}

const widths = [1280, 390];
const themes = ['light', 'dark'] as const;
const height = 800;
/** Text stays sharp, and the folder small. */
const quality = 72;

/** Takes each shot in both themes, as wide as a laptop and as a phone. */
export async function takePictures(studio: Studio, shots: readonly Shot[]): Promise<void> {
  for (const width of widths)
    for (const theme of themes) {
      const page = await studio.browser.newPage({
        viewport: { width, height },
        colorScheme: theme,
        reducedMotion: 'reduce',
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
      });
      await page.route('**/api/v1/statistics', async (route) => {
        const answer = await route.fetch();
        const { statistics } = await answer.json();
        await route.fulfill({ response: answer, json: { statistics: drawHour(statistics) } });
      });
      await page.goto(`${studio.url}/admin/account`);
      if (studio.adminKey !== null) {
        await page.getByLabel(/Keep me signed in/).check();
        await signIn(page, studio.adminKey);
      }
      for (const shot of shots) await take(page, studio, shot, `${shot.name}-${width}-${theme}`);
      await page.close();
    }
}

async function take(
  page: Page,
  { url, folder }: Studio,
  { path, awaits }: Shot,
  name: string,
): Promise<void> {
  await page.goto(`${url}/admin${path}`);
  await page.locator(awaits).first().waitFor();
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
  // The focus is where the keyboard goes on, and nobody's in a picture.
  await page.evaluate('document.activeElement.blur(); document.fonts.ready');
  await page.screenshot({ path: join(folder, `${name}.webp`), type: 'webp', quality });
}
