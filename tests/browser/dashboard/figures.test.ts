import {
  askForKey,
  createApiKey,
  createLease,
  makeScene,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { viewerToken } from '@latchkey/support/tokens';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { countFirstBytes, countScriptBytes } from './count-script.ts';

const { open, target } = await openDashboard();

// Data for every page: keys, contents, active and revoked leases, served and refused key requests.
const keyName = unique('figures');
const { raw } = await createApiKey(target, 'full', { name: keyName });
const scene = await makeScene(target);
const leaseId = await createLease(target, scene, { deviceId: 'living room' });
const other = { ...scene, token: viewerToken(target.jwtSecret, `${scene.viewerId}-2`) };
await createLease(target, other);
await revokeLeases(target, { viewerId: `${scene.viewerId}-2`, reason: 'the account was shared' });
for (const asking of [scene, scene, other]) await askForKey(target, asking, leaseId);

/** The limit for all pages, which are loaded while the first one is read, in gzip. */
const scriptLimitBytes = 250 * 1024;
/** Google's limit for a good page (Core Web Vitals, cumulative layout shift). */
const shiftLimit = 0.1;

const addShifts = `window.shifts = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({ type: 'layout-shift', buffered: true })`;
async function expectFigures(page: Page, path: string): Promise<void> {
  const bytes = await countScriptBytes(page);
  const shifts = Number(await page.evaluate('window.shifts'));
  expect([path, shifts]).toEqual([path, expect.toSatisfy((shifted: number) => shifted < shiftLimit)]);
  expect(bytes).toBeGreaterThan(10 * 1024);
  expect(bytes).toBeLessThanOrEqual(scriptLimitBytes);
}

const row = (page: Page) => page.getByRole('rowheader').first();
const figure = (page: Page) => page.getByRole('figure').first();
const heading = (name: string) => (page: Page) => page.getByRole('heading', { name, exact: true });
const rowMenu = (page: Page) => page.getByRole('button', { name: /^Actions for/ }).first();
const exportMenu = (page: Page) => page.getByRole('button', { name: 'Export', exact: true });

/** Counts what moves by itself, with the transitions that most admins see. */
async function prepare(page: Page): Promise<void> {
  await page.addInitScript(addShifts);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
}

/** Each page with rows of this file, and its menu. */
const pages = [
  { path: '/', shows: figure },
  { path: `/api-keys?q=${keyName}`, shows: row, menu: rowMenu },
  { path: `/content?q=${scene.contentId}`, shows: row, menu: rowMenu },
  { path: `/content/${scene.contentId}`, shows: row },
  { path: `/leases?content=${scene.contentId}`, shows: row, menu: rowMenu },
  { path: '/usage', shows: figure },
  { path: `/audit?target=${scene.contentId}`, shows: row, menu: exportMenu },
  { path: '/webhooks', shows: heading('Webhooks') },
  { path: '/account', shows: heading('Your key') },
  { path: '/no-such-page', shows: heading('No such page') },
];

it.each(pages)(
  'the page $path is small, without layout shifts, and accessible in both themes, with its menu open',
  async ({ path, shows, menu }) => {
    const page = await open({ path, as: raw, prepare });
    await shows(page).waitFor();
    await expectFigures(page, path);
    await page.setViewportSize({ width: 390, height: 900 });
    await page.reload();
    await shows(page).waitFor();
    await expectFigures(page, path);
    const name = `figures-${path.split(/[/?]/)[1] || 'overview'}`;
    if (!menu) return inspectPage(page, name);
    await menu(page).click();
    await page.getByRole('menu').waitFor();
    // The narrowest screen has the least room for a menu.
    await inspectPage(page, name, [390]);
  },
);

it('the first page needs at most 165 KB of script, compressed by brotli', async () => {
  const bytes = await countFirstBytes(`${target.url}/admin`);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(165_000);
});

it('the sign-in page is small and without layout shifts', async () => {
  const page = await open({ prepare: (opened) => opened.addInitScript(addShifts) });
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await expectFigures(page, '/');
});
