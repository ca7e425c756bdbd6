import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createApiKey, createLease, registerContent } from '../server-actions.ts';
import { unique, viewerToken } from '../tokens.ts';
import { openDashboard, signIn } from './open-dashboard.ts';

const { open, target } = await openDashboard();
const { client, adminApiKey } = target;

const sidewaysPx = 'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)';

/** Loads an address, waits for a text, and checks the layout at the widths of a laptop and a phone. */
async function look(page: Page, path: string, shown: string): Promise<void> {
  await page.goto(`${target.url}/admin${path}`);
  // The name of the signed-in key is outside of `main`, on every page.
  await page.getByRole('main').getByText(shown).first().waitFor();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(async () => [path, width, await page.evaluate(sidewaysPx)]).toEqual([path, width, 0]);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await expect.poll(() => page.title()).toMatch(/· Latchkey$/);
  expect(await page.locator('main img, main script, main iframe').count()).toBe(0);
}

const mark = unique('m');
const hostile = [
  `<script>document.title='owned'</script><img src=x onerror="document.title='owned'">`,
  `javascript:document.title='owned'//`,
  `\u202Egnp.exe\u202C\u2067\u2066`,
  '🔑'.repeat(200),
  `=HYPERLINK("http://evil.example","click")`,
  `+cmd|' /C calc'!A0`,
  'w'.repeat(190),
];

/** Creates a key, a content, a viewer, a device and a reason with this text. @returns addresses of pages about one of them */
async function spread(text: string): Promise<string[]> {
  // Names and devices have 200 UTF-16 characters at most, of which an emoji takes two. Viewer IDs can be longer.
  const short = `${mark}${[...text].slice(0, 90).join('')}`;
  const viewerId = `${mark}${text}`;
  await createApiKey(target, 'playback', { name: short });
  const contentId = await registerContent(target);
  await client.call('PATCH', `/api/v1/content/${contentId}`, { as: adminApiKey, json: { name: short } });
  const scene = { token: viewerToken(target.jwtSecret, viewerId), contentId };
  const leaseId = await createLease(target, scene, { deviceId: short });
  await client.post('/keys/leases/revoke', adminApiKey, { viewerId, reason: short });
  return [`/content/${contentId}`, `/leases?lease=${leaseId}`];
}

it('hostile names, IDs, devices and reasons are text on every page: no script runs, nothing scrolls sideways', async () => {
  const details = await Promise.all(hostile.map(spread));
  const { raw } = await createApiKey(target, 'full', { name: `${mark}${hostile[0]}` });
  const page = await open({ path: '/account' });
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => expect.fail('a script ran')));
  await page.getByLabel(/Keep me signed in/).check();
  await signIn(page, raw);
  const lists = ['/', `/api-keys?q=${mark}`, `/content?q=${mark}`, '/leases', '/audit?action=lease.revoke'];
  for (const path of [...lists, ...details.flat()]) await look(page, path, mark);
});

it('a CSV export of the audit has no formulas', async () => {
  const viewerId = `=1+1${unique('')}`;
  await client.post('/keys/leases/revoke', adminApiKey, { viewerId });
  const page = await open({ path: `/audit?action=lease.revoke`, as: adminApiKey });
  await page.getByRole('button', { name: 'Export' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV' }).click(),
  ]);
  const stream = await download.createReadStream();
  const text = Buffer.concat(await stream.toArray()).toString('utf8');
  expect(text).toContain(viewerId);
  expect(text).not.toMatch(/(^|,)"?[=+@\t-]/m);
});
