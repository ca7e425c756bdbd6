import { createApiKey, createLease, makeScene } from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { viewerToken } from '@latchkey/support/tokens';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { downloadWith } from './download-with.ts';

const { open, target } = await openDashboard();
const { client, adminApiKey } = target;

const stateOf = async (id: string) =>
  (await client.get(`/api/v1/leases/${id}`, adminApiKey)).json.lease.state;

/** @returns the lines of the file */
async function exportCsv(page: Page): Promise<string[]> {
  const { text } = await downloadWith(page, page.getByRole('button', { name: 'Export CSV' }));
  return text.trim().split('\r\n');
}

it('a pasted list of viewers is counted, confirmed by number, and revoked with its reason', async () => {
  const scene = await makeScene(target);
  const viewers = [unique('listed'), unique('listed')];
  const ids: string[] = [];
  for (const viewer of viewers)
    ids.push(
      await createLease(target, {
        token: viewerToken(target.jwtSecret, viewer),
        contentId: scene.contentId,
      }),
    );
  const page = await open({ path: `/leases?content=${scene.contentId}`, as: adminApiKey });
  await page.getByRole('button', { name: 'Revoke a list…' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Enter at least one ID.').waitFor();
  await page
    .getByLabel('Viewer IDs')
    .fill(` ${viewers[0]}\n\n${viewers[1]}\r\n${viewers[0]}\nnobody-${ids[0]}`);
  await inspectPage(page, 'bulk-list');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('2 active leases will end').waitFor();
  await page.getByText('2 viewers of the list have some.').waitFor();
  const act = page.getByRole('button', { name: 'Revoke 3 viewers' });
  expect(await act.isDisabled()).toBe(true);
  await page.getByLabel('Reason').fill('shared accounts');
  await page.getByLabel(/Type 3/).fill('3');
  await inspectPage(page, 'bulk-confirm');
  await act.click();
  await page.getByText('3 of 3 · 2 leases revoked').waitFor();
  await inspectPage(page, 'bulk-done');
  await page.getByRole('button', { name: 'Done' }).click();
  expect(await Promise.all(ids.map(stateOf))).toEqual(['revoked', 'revoked']);
});

it('selected leases are revoked together, and no other', async () => {
  const scene = await makeScene(target);
  const [one, two, three] = [
    await createLease(target, scene, { deviceId: 'a' }),
    await createLease(target, scene, { deviceId: 'b' }),
    await createLease(target, scene, { deviceId: 'c' }),
  ];
  const page = await open({ path: `/leases?viewer=${scene.viewerId}`, as: adminApiKey });
  for (const device of ['a', 'b'])
    await page
      .getByRole('row')
      .filter({ hasText: `on ${device}` })
      .getByRole('checkbox')
      .check();
  await inspectPage(page, 'leases-selected');
  await page.getByRole('button', { name: 'Revoke 2 selected leases…' }).click();
  await page.getByLabel(/Type 2/).fill('2');
  await page.getByRole('button', { name: 'Revoke 2 leases' }).click();
  await page.getByText('2 of 2 · 2 leases revoked').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  expect(await Promise.all([one, two, three].map(stateOf))).toEqual(['revoked', 'revoked', 'active']);
  await page.getByRole('button', { name: /selected/ }).waitFor({ state: 'detached' });
});

it('leases and keys are exported as CSV as they are filtered, and a spreadsheet runs nothing of them', async () => {
  const scene = await makeScene(target);
  const viewer = `=${unique('formula')}`;
  const token = viewerToken(target.jwtSecret, viewer);
  const id = await createLease(target, { token, contentId: scene.contentId });
  await createLease(target, scene);
  const page = await open({ path: `/leases?viewer=${encodeURIComponent(viewer)}`, as: adminApiKey });
  await page.getByRole('row', { name: viewer }).waitFor();
  const [head, ...rows] = await exportCsv(page);
  expect(head).toMatch(/^id,viewer,content,device,kind,state,created_at/);
  expect(rows).toEqual([expect.stringContaining(`${id},'${viewer},${scene.contentId},`)]);

  const name = unique('exported, key');
  await createApiKey(target, 'playback', { name });
  const keys = await open({ path: `/api-keys?q=${encodeURIComponent(name)}`, as: adminApiKey });
  await keys.getByRole('row', { name }).waitFor();
  const lines = await exportCsv(keys);
  expect(lines).toEqual([expect.stringContaining('prefix,scope'), expect.stringContaining(`"${name}",lk_`)]);
});

it('every lease of a page that is not revoked is selected at once, and unselected again', async () => {
  const scene = await makeScene(target);
  const ids: string[] = [];
  for (const deviceId of ['a', 'b', 'c']) ids.push(await createLease(target, scene, { deviceId }));
  await client.post('/keys/leases/revoke', adminApiKey, { leaseId: ids[0] });
  const page = await open({ path: `/leases?viewer=${scene.viewerId}`, as: adminApiKey });
  const all = page.getByLabel('Select this page');
  await all.check();
  await page.getByRole('button', { name: 'Revoke 2 selected leases…' }).waitFor();
  await inspectPage(page, 'leases-all-selected');
  await all.uncheck();
  expect(await page.getByRole('button', { name: /selected lease/ }).count()).toBe(0);
});
