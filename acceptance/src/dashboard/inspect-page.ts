import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The library as a script that defines `axe`. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const height = 900;

interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

const themes = ['light', 'dark'] as const;

/**
 * Looks at a page as it is now: axe finds nothing, and the page does not scroll sideways. Each width and each theme comes up
 * once, light where it is wide and dark where it is narrow; `inEachTheme` takes every pair of them, in twice the time. Where
 * `DASHBOARD_SHOTS` names a folder, it gets a picture of every pair.
 *
 * @param name of the pictures
 * @param widths of the window, in CSS pixels
 */
export async function inspectPage(
  page: Page,
  name: string,
  widths = [1280, 390],
  inEachTheme = widths.length === 1,
): Promise<void> {
  const folder = process.env.DASHBOARD_SHOTS;
  if (folder) mkdirSync(folder, { recursive: true });
  for (const [index, width] of widths.entries()) {
    await page.setViewportSize({ width, height });
    // What is open, such as a menu, finds its place in the next frame.
    await expect.poll(async () => [name, width, await page.evaluate(sidewaysPx)]).toEqual([name, width, 0]);
    const looks = inEachTheme || folder ? themes : themes.slice(index % 2, (index % 2) + 1);
    for (const theme of looks) {
      await page.emulateMedia({ colorScheme: theme });
      // Until what was opened is there whole, and the colours of the other theme have faded.
      await page.evaluate(untilStill);
      expect({ name, width, theme, violations: await findViolations(page) }).toEqual({
        ...{ name, width, theme },
        violations: [],
      });
      if (folder) await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`) });
    }
  }
  await page.setViewportSize({ width: 1280, height });
  await page.emulateMedia({ colorScheme: 'light' });
}

/** A transition of Mantine begins two frames after what is opened is there. */
const untilStill = `(async () => {
  const isMoving = () => document.getAnimations().some(({ playState }) => playState !== 'finished');
  for (let frames = 0; frames < 3; frames = isMoving() ? 0 : frames + 1) await new Promise(requestAnimationFrame);
})()`;
/** Rules that pass are not told, and no style sheet is fetched again: both take axe time. */
const runAxe = `axe.run(document, { resultTypes: ['violations'], preload: false })`;
const sidewaysPx = 'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)';

/** What axe finds, short enough to read. */
async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(`window.axe ?? (() => { ${axe} })()`);
  const { violations } = (await page.evaluate(runAxe)) as AxeResult;
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html} ${node.failureSummary ?? ''}`),
  );
}
