import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { firefoxPath } from '../black-box/shared-browser.ts';

/** The library as a script that defines `axe`. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const height = 900;

interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

const themes = ['light', 'dark'] as const;

/**
 * Checks a page in its current state: axe finds no violation, and the page does not scroll sideways. Each width and each theme is
 * checked once: light when wide, dark when narrow. At a single width each theme is checked. If `DASHBOARD_SHOTS` names a folder, a
 * picture of every pair is saved there.
 *
 * @param name of the pictures
 * @param widths of the window, in CSS pixels
 */
export async function inspectPage(page: Page, name: string, widths = [1280, 390]): Promise<void> {
  const folder = process.env.DASHBOARD_SHOTS;
  if (folder) mkdirSync(folder, { recursive: true });
  for (const [index, width] of widths.entries()) {
    await expectToFit(page, name, width);
    const looks = widths.length === 1 || folder ? themes : themes.slice(index % 2, (index % 2) + 1);
    for (const theme of looks) {
      await page.emulateMedia({ colorScheme: theme });
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

/** Makes the window this wide, in CSS pixels, and checks that the page does not scroll sideways. */
export async function expectToFit(page: Page, name: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height });
  // An open menu is placed in the next frame.
  await expect.poll(async () => [name, width, await page.evaluate(sidewaysPx)]).toEqual([name, width, 0]);
}

/** Mantine starts a transition two frames after it has mounted the element. */
const untilStill = `(async () => {
  const isMoving = () => document.getAnimations().some(({ playState }) => playState !== 'finished');
  for (let frames = 0; frames < 3; frames = isMoving() ? 0 : frames + 1) await new Promise(requestAnimationFrame);
})()`;
/**
 * Without reports on rules that pass, and without fetching style sheets again: both are slow. Rows that are read again are dimmed
 * meanwhile, so what is found during such a time is looked for again.
 */
const runAxe = `(async () => {
  for (;;) {
    const isUpdating = () => document.querySelector('[data-updating]') !== null;
    while (isUpdating()) await new Promise(requestAnimationFrame);
    await ${untilStill};
    let wasUpdated = isUpdating();
    const observer = new MutationObserver(() => (wasUpdated = true));
    observer.observe(document, { subtree: true, attributeFilter: ['data-updating'] });
    const result = await axe.run(document, { resultTypes: ['violations'], preload: false });
    observer.disconnect();
    if (!wasUpdated || result.violations.length === 0) return result;
  }
})()`;
const sidewaysPx = 'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)';

/** The violations that axe finds, in one line each. */
async function findViolations(page: Page): Promise<string[]> {
  // In the pages of Firefox 153 it ends their process, with a fault in libxul.
  if (firefoxPath) {
    await page.evaluate(untilStill);
    return [];
  }
  // Half a megabyte, on its way through two processes.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`(() => { ${axe} })()`);
  const { violations } = (await page.evaluate(runAxe)) as AxeResult;
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html} ${node.failureSummary ?? ''}`),
  );
}
