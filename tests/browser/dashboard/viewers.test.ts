import { createLease, makeScene, revokeLeases } from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { viewerToken } from '@latchkey/support/tokens';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

const { open, target } = await openDashboard();
const { adminApiKey: as, client } = target;

const viewersOn = (page: Page) => page.getByRole('rowheader').getByRole('link').allInnerTexts();
const rowOf = (page: Page, viewerId: string) => page.getByRole('row').filter({ hasText: viewerId });
const headerOf = (page: Page, name: string) => page.getByRole('columnheader', { name });

/** Two viewers with one beginning: the first shares its account, the second does not. */
async function makeViewers() {
  const { contentId } = await makeScene(target);
  const prefix = unique('table');
  const [shared, single] = [`${prefix}-shared`, `${prefix}-single`];
  const make = (viewerId: string, deviceId: string) =>
    createLease(target, { token: viewerToken(target.jwtSecret, viewerId), contentId }, { deviceId });
  for (const device of ['tv', 'phone', 'tablet']) await make(shared, device);
  await make(single, 'tv');
  return { prefix, shared, single };
}

it('the table of viewers shows leases, devices and revocations, and a header sorts it by the most', async () => {
  const { prefix, shared, single } = await makeViewers();
  await revokeLeases(target, { viewerId: single });
  const page = await open({ path: `/viewers?q=${prefix}`, as });
  await expect.poll(() => viewersOn(page)).toEqual([shared, single]);
  expect(await rowOf(page, shared).getByRole('cell').allInnerTexts()).toEqual(
    expect.arrayContaining([expect.stringContaining('3'), expect.stringContaining('no')]),
  );
  await rowOf(page, single).getByText('Tokens refused until').waitFor();
  expect(await headerOf(page, 'Viewer').getAttribute('aria-sort')).toBe('ascending');
  await page.getByText('All viewers with leases.').waitFor();

  await headerOf(page, 'Devices').getByRole('button').click();
  await expect.poll(() => headerOf(page, 'Devices').getAttribute('aria-sort')).toBe('descending');
  await page.getByText(/^Of the 20,000 leases that end last\./).waitFor();
  await expect.poll(() => viewersOn(page)).toEqual([shared, single]);
  // There is no order with the fewest first.
  await headerOf(page, 'Devices').getByRole('button').click();
  expect(await headerOf(page, 'Devices').getAttribute('aria-sort')).toBe('descending');
  await inspectPage(page, 'viewers-devices');

  await page.getByRole('button', { name: 'Latest revoked' }).click();
  await expect.poll(() => viewersOn(page)).toEqual([single]);
  const shown = await open({ path: `/viewers?q=${prefix}&sort=-revokedAt`, as });
  await expect.poll(() => viewersOn(shown)).toEqual([single]);
});

it('a blocked viewer is named as blocked, and its page shows how many devices it has and when it was last seen', async () => {
  const { prefix, shared } = await makeViewers();
  const path = `/api/v1/viewers/${shared}/block`;
  expect((await client.call('PUT', path, { as, json: { reason: 'shared' } })).status).toBe(200);
  const page = await open({ path: `/viewers?q=${prefix}`, as });
  await rowOf(page, shared).getByText('Blocked').waitFor();
  await page.getByRole('link', { name: shared }).click();
  await page.getByText('This viewer is blocked').waitFor();
  const facts = page.locator('main dl').first();
  await facts.getByText('3: tablet, phone, tv').waitFor();
  await facts.getByText('just now').waitFor();
  expect(await page.getByText('No trace of this viewer').count()).toBe(0);
});

it('the page of a viewer that nobody has seen says so', async () => {
  const page = await open({ path: `/viewers?viewer=${unique('nobody')}`, as });
  await page.getByText('No trace of this viewer').waitFor();
  await inspectPage(page, 'viewer-unseen');
});
