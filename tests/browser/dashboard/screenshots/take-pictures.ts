import { join } from 'node:path';
import { signIn } from '@latchkey/support/dashboard/sign-in';
import type { Browser, Page } from 'playwright-core';
import { drawHour } from './draw-hour.ts';

/** A picture of a page. */
export interface Shot {
  name: string;
  path: string;
  /** Selector of an element that must be there first. */
  awaits: string;
}

export interface Studio {
  browser: Browser;
  url: string;
  /** Where the pictures are saved. */
  folder: string;
  /** Signs in first; null for pages before the sign-in. */
  adminKey: string | null;
}

const widths = [1280, 390];
const themes = ['light', 'dark'] as const;
const height = 800;
/** Quality of the images: text stays sharp, and the files small. */
const quality = 72;

/** Takes each picture in both themes, at the widths of a laptop and a phone. */
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
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.getByText('Counting…').first().waitFor({ state: 'detached' });
  // Without focus, no element has an outline in the picture.
  await page.evaluate('document.activeElement.blur(); document.fonts.ready');
  await page.screenshot({ path: join(folder, `${name}.webp`), type: 'webp', quality });
}
