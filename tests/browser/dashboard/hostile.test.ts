import { createApiKey, createLease } from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { expectToFit, inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { viewerToken } from '@latchkey/support/tokens';
import type { Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';

const { open, target } = await openDashboard();
const { client, adminApiKey } = target;

/** Checks that nothing of the page scrolls sideways on a laptop and on a phone, and that no text of a stranger became an element. */
async function expectText(page: Page, name: string): Promise<void> {
  for (const width of [390, 1280]) await expectToFit(page, name, width);
  await expect.poll(() => page.title()).toMatch(/· Latchkey$/);
  const elements = page.locator(':is(main, [role=dialog]) :is(img, script, iframe)');
  expect([name, await elements.count()]).toEqual([name, 0]);
}

/** Loads an address, waits for a text, and checks the page. */
async function look(page: Page, path: string, shown: string): Promise<void> {
  await page.goto(`${target.url}/admin${path}`);
  // The name of the signed-in key is outside of `main`, on every page.
  await page.getByRole('main').getByText(shown).first().waitFor();
  await expectText(page, path);
}

/** Loads a page of the newest rows, which other tests of this server can push off it: a new revocation comes first, until it is seen. */
async function lookAtNewest(page: Page, path: string): Promise<void> {
  await vi.waitFor(async () => {
    await revokeHostile(unique(`${mark}${hostile[0]}`), ids[0] ?? '');
    await page.goto(`${target.url}/admin${path}`);
    await page.getByRole('main').getByText(mark).first().waitFor({ timeout: 5000 });
  }, 30_000);
  await expectText(page, path);
}

/** Creates a lease and revokes it, with this text as its viewer, its device and the reason. */
async function revokeHostile(viewerId: string, contentId: string, short = viewerId): Promise<void> {
  const scene = { token: viewerToken(target.jwtSecret, viewerId), contentId };
  await createLease(target, scene, { deviceId: short });
  await client.post('/keys/leases/revoke', adminApiKey, { viewerId, reason: short });
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

/** The longest ids, and one that looks like an option. */
const ids = [unique('i'.repeat(240)), `-rf${unique('')}`, ...hostile.slice(2).map(() => unique('h'))];

/** Creates a key, a content, a viewer, a device and a reason with this text. */
async function spread(text: string, index: number): Promise<void> {
  // Names and devices have 200 UTF-16 characters at most, of which an emoji takes two. Viewer IDs can be longer.
  const short = `${mark}${[...text].slice(0, 90).join('')}`;
  const viewerId = `${mark}${text.repeat(index === 6 ? 4 : 1)}`;
  await createApiKey(target, 'playback', { name: short });
  const contentId = ids[index] ?? '';
  const content = {
    name: short,
    manifestKey: `content/x/${'y'.repeat(900)}<b>`,
    metadata: { '</script>': `\u202E${'z'.repeat(500)}`, nested: { deep: [1, 2, { three: '<img>' }] } },
  };
  await client.post('/api/v1/content', adminApiKey, { id: contentId, ...content });
  await revokeHostile(viewerId, contentId, short);
  const token = viewerToken(target.jwtSecret, `${viewerId}2`);
  await createLease(target, { token, contentId }, { deviceId: short });
}

it('hostile names, IDs, devices and reasons are text on every page: no script runs, nothing scrolls sideways', async () => {
  await Promise.all(hostile.map(spread));
  const { raw } = await createApiKey(target, 'full', { name: `${mark}${hostile[0]}` });
  const page = await open({ path: '/account', as: raw });
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => expect.fail('a script ran')));
  for (const path of [`/api-keys?q=${mark}`, `/content?q=${mark}`]) await look(page, path, mark);
  for (const path of ['/', '/leases', '/audit?action=lease.revoke']) await lookAtNewest(page, path);
  for (const id of ids.slice(0, 2)) await look(page, `/content/${id}`, mark);

  for (const id of [ids[0], ids[2], ids[6]]) {
    await look(page, `/leases?content=${id}`, mark);
    await page.getByRole('rowheader').getByRole('button').first().click();
    await page.getByRole('dialog').getByText('Renewed').waitFor();
    await expectText(page, `details of a lease of ${id}`);
  }
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Revoke every lease of this viewer…' }).click();
  await page.getByText('1 active lease will end').waitFor();
  await expectText(page, 'revoking a viewer');

  await look(page, `/api-keys?q=${mark}`, mark);
  await page.getByRole('rowheader').getByRole('link').first().click();
  await page.getByRole('heading', { level: 2, name: 'History' }).waitFor();
  await inspectPage(page, 'api-keys-hostile');
});
