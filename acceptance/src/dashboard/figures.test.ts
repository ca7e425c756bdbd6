import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { askForKey, createApiKey, createLease, makeScene, revokeLeases } from '../server-actions.ts';
import { viewerToken } from '../tokens.ts';
import { countScriptBytes } from './count-script.ts';
import { inspectPage } from './inspect-page.ts';
import { openDashboard, signIn } from './open-dashboard.ts';

const { open, target } = await openDashboard();

// Data for every page: keys, contents, active and revoked leases, served and refused key requests.
const { raw } = await createApiKey(target, 'full');
const scene = await makeScene(target);
const leaseId = await createLease(target, scene, { deviceId: 'living room' });
const other = { ...scene, token: viewerToken(target.jwtSecret, `${scene.viewerId}-2`) };
await createLease(target, other);
await revokeLeases(target, { viewerId: `${scene.viewerId}-2`, reason: 'the account was shared' });
for (const asking of [scene, scene, other]) await askForKey(target, asking, leaseId);

/** The limit for the first load, in gzip. */
const scriptLimitBytes = 250 * 1024;
/** Google's limit for a good page (Core Web Vitals, cumulative layout shift). */
const shiftLimit = 0.1;

const addShifts = `window.shifts = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({ type: 'layout-shift', buffered: true })`;
/** Loads a page by its address with a remembered key. */
async function load(path: string): Promise<Page> {
  const page = await open({ path: '/account' });
  await page.addInitScript(addShifts);
  await page.getByLabel(/Keep me signed in/).check();
  await signIn(page, raw);
  await page.goto(`${target.url}/admin${path}`);
  return page;
}

async function expectFigures(page: Page, path: string): Promise<void> {
  const bytes = await countScriptBytes(page);
  const shifts = Number(await page.evaluate('window.shifts'));
  expect([path, shifts]).toEqual([path, expect.toSatisfy((shifted: number) => shifted < shiftLimit)]);
  expect(bytes).toBeGreaterThan(10 * 1024);
  expect(bytes).toBeLessThanOrEqual(scriptLimitBytes);
}

const pages = [
  { path: '/', shows: (page: Page) => page.getByRole('figure').first() },
  { path: '/api-keys', shows: (page: Page) => page.getByRole('rowheader').first() },
  { path: '/content', shows: (page: Page) => page.getByRole('rowheader').first() },
  { path: `/content/${scene.contentId}`, shows: (page: Page) => page.getByRole('rowheader').first() },
  { path: '/leases', shows: (page: Page) => page.getByRole('rowheader').first() },
  { path: '/usage', shows: (page: Page) => page.getByRole('figure').first() },
  { path: '/audit', shows: (page: Page) => page.getByRole('rowheader').first() },
  { path: '/webhooks', shows: (page: Page) => page.getByRole('heading', { name: 'Webhooks', exact: true }) },
  { path: '/account', shows: (page: Page) => page.getByRole('heading', { name: 'Your key' }) },
  { path: '/no-such-page', shows: (page: Page) => page.getByRole('heading', { name: 'No such page' }) },
];

it.each(pages)(
  'the page $path is small, without layout shifts, and accessible in both themes',
  async ({ path, shows }) => {
    const page = await load(path);
    await shows(page).waitFor();
    await expectFigures(page, path);
    await page.setViewportSize({ width: 390, height: 900 });
    await page.reload();
    await shows(page).waitFor();
    await expectFigures(page, path);
    await inspectPage(page, `figures-${path.split('/')[1] || 'overview'}`);
  },
);

it('the sign-in page is small and without layout shifts', async () => {
  const page = await open();
  await page.addInitScript(addShifts);
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await expectFigures(page, '/');
});

const menu = (page: Page) =>
  page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
const button = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();
const firstRow = (page: Page) => page.getByRole('rowheader').first().getByRole('button').click();

const opened = [
  { what: 'the menu of a key', path: '/api-keys', begin: menu, role: 'menu' },
  { what: 'the details of a key', path: '/api-keys', begin: firstRow, role: 'dialog' },
  { what: 'the menu of a content', path: '/content', begin: menu, role: 'menu' },
  {
    what: 'the form that edits a content',
    path: `/content/${scene.contentId}`,
    begin: button('Edit…'),
    role: 'dialog',
  },
  { what: 'the menu of a lease', path: '/leases', begin: menu, role: 'menu' },
  { what: 'the details of a lease', path: '/leases', begin: firstRow, role: 'dialog' },
  { what: 'an audit record', path: '/audit', begin: firstRow, role: 'dialog' },
  { what: 'the export menu of the audit', path: '/audit', begin: button('Export'), role: 'menu' },
] as const;

it.each(opened)(
  '$what is accessible in both themes and fits the screen',
  async ({ what, path, begin, role }) => {
    const page = await load(path);
    await begin(page);
    await page.getByRole(role).waitFor();
    // The narrowest screen has the least room.
    await inspectPage(page, `figures-${what.replaceAll(' ', '-')}`, [390]);
  },
);
