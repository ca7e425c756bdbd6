import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createApiKey, createLease, registerContent } from '../server-actions.ts';
import { unique, viewerToken } from '../tokens.ts';
import { expectToFit } from './inspect-page.ts';
import { openDashboard } from './open-dashboard.ts';

const { open, target } = await openDashboard();
const { client, adminApiKey } = target;

/** Loads an address, waits for a text, and checks the layout at the widths of a laptop and a phone. */
async function look(page: Page, path: string, shown: string): Promise<void> {
  await page.goto(`${target.url}/admin${path}`);
  // The name of the signed-in key is outside of `main`, on every page.
  await page.getByRole('main').getByText(shown).first().waitFor();
  for (const width of [390, 1280]) await expectToFit(page, path, width);
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

/** Creates a key, a content, a viewer, a device and a reason with this text. */
async function spread(text: string): Promise<void> {
  // Names and devices have 200 UTF-16 characters at most, of which an emoji takes two. Viewer IDs can be longer.
  const short = `${mark}${[...text].slice(0, 90).join('')}`;
  const viewerId = `${mark}${text}`;
  await createApiKey(target, 'playback', { name: short });
  const contentId = await registerContent(target);
  await client.call('PATCH', `/api/v1/content/${contentId}`, { as: adminApiKey, json: { name: short } });
  const scene = { token: viewerToken(target.jwtSecret, viewerId), contentId };
  await createLease(target, scene, { deviceId: short });
  await client.post('/keys/leases/revoke', adminApiKey, { viewerId, reason: short });
}

it('hostile names, IDs, devices and reasons are text on every page: no script runs, nothing scrolls sideways', async () => {
  await Promise.all(hostile.map(spread));
  const { raw } = await createApiKey(target, 'full', { name: `${mark}${hostile[0]}` });
  const page = await open({ path: '/account', as: raw });
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => expect.fail('a script ran')));
  // The tests of each page look at the details of such rows.
  const lists = ['/', `/api-keys?q=${mark}`, `/content?q=${mark}`, '/leases', '/audit?action=lease.revoke'];
  for (const path of lists) await look(page, path, mark);
});
