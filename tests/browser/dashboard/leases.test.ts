import {
  askForKey,
  createLease,
  makeScene,
  oncePropagated,
  registerContent,
} from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { waitForAnnouncement } from '@latchkey/support/dashboard/announcements';
import { expectToFit, inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { viewerToken } from '@latchkey/support/tokens';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

const { open, target } = await openDashboard();
const { client, adminApiKey } = target;

/** Opens the page, and waits for its event stream. */
async function openLeases(query = ''): Promise<Page> {
  const page = await open({ path: `/leases${query}`, as: adminApiKey });
  await page.getByText('Live', { exact: true }).waitFor();
  await page
    .getByRole('table')
    .or(page.getByText(/No (matching )?leases/))
    .first()
    .waitFor();
  return page;
}

const viewersOn = (page: Page) => page.getByRole('rowheader').getByRole('button').allInnerTexts();
const leaseOf = async (id: string) => (await client.get(`/api/v1/leases/${id}`, adminApiKey)).json.lease;
const isAudited = async (revoked: string) => {
  const query = new URLSearchParams({ action: 'lease.revoke', target: revoked });
  return (await client.get(`/api/v1/audit?${query}`, adminApiKey)).json.audit.length === 1;
};

/** Creates leases for one content, each with a new viewer. */
async function createLeases(contentId: string, count: number): Promise<string[]> {
  const viewers = Array.from({ length: count }, () => unique('viewer'));
  for (const viewer of viewers)
    await createLease(target, { token: viewerToken(target.jwtSecret, viewer), contentId });
  return viewers;
}

it('a new lease appears at once, is revoked with a reason, and is in the audit', async () => {
  const scene = await makeScene(target);
  const page = await openLeases(`?content=${scene.contentId}`);
  await page.getByText('No matching leases').waitFor();
  await inspectPage(page, 'leases-none');
  const id = await createLease(target, scene, { deviceId: 'living room' });
  const row = page.getByRole('row', { name: scene.viewerId });
  await row.getByText('Active').waitFor();
  await row.getByText(/^\d+ (min \d\d s|s|h \d\d min)/).waitFor();
  await expect.poll(() => page.getByTestId('active-leases').textContent()).toBe('1 active');

  await page.getByRole('button', { name: `Actions for ${scene.viewerId} on` }).click();
  await page.getByRole('menuitem', { name: 'Revoke this lease…' }).click();
  // The dialog shows which lease it ends.
  const named = page
    .getByRole('dialog')
    .getByText(/^Active until /)
    .locator('xpath=..');
  expect(await named.textContent()).toContain(`${scene.viewerId} · ${scene.contentId} · living room`);
  await page.getByLabel('Reason').fill('shared account <b>');
  await inspectPage(page, 'leases-revoke-one');
  await page.getByRole('button', { name: 'Revoke the lease' }).click();
  await waitForAnnouncement(page, '1 lease revoked');
  await row.getByText('Revoked').waitFor();
  await expect.poll(() => page.getByTestId('active-leases').textContent()).toBe('0 active');
  await oncePropagated(target, async () =>
    expect(await askForKey(target, scene, id)).toBe('403 LEASE_REVOKED'),
  );
  expect(await leaseOf(id)).toMatchObject({ state: 'revoked', revokedBy: 'management' });
  expect(await isAudited(id)).toBe(true);

  await page.getByRole('button', { name: scene.viewerId, exact: true }).click();
  await page.getByRole('dialog').getByRole('definition').getByText('shared account <b>').waitFor();
  await page.getByText(/by management/).waitFor();
  await expect.poll(() => new URL(page.url()).searchParams.get('lease')).toBe(id);
});

it('new leases are announced without moving rows, and rows change in place', async () => {
  const contentId = await registerContent(target);
  const [viewer = ''] = await createLeases(contentId, 1);
  const page = await openLeases(`?content=${contentId}`);
  const row = page.getByRole('row', { name: viewer });
  await row.waitFor();
  await expect.poll(() => page.getByTestId('active-leases').textContent()).toBe('1 active');
  const before = await row.boundingBox();
  const later = await createLeases(contentId, 3);
  const button = page.getByRole('button', { name: '3 new' });
  await button.waitFor();
  expect(await viewersOn(page)).toEqual([viewer]);
  await inspectPage(page, 'leases-arrived');
  // Another admin revokes it: the row changes in place.
  await client.post('/keys/leases/revoke', adminApiKey, { viewerId: viewer });
  await row.getByText('Revoked').waitFor();
  await expect.poll(() => row.boundingBox()).toEqual(before);
  await button.click();
  await expect.poll(() => viewersOn(page)).toEqual([...later.toReversed(), viewer]);
  await expect.poll(() => page.getByTestId('active-leases').textContent()).toBe('3 active');
});

it('a shown lease expires without a new request', async () => {
  const scene = await makeScene(target);
  await createLease(target, scene, { requestedTtlSeconds: 4 });
  const page = await openLeases(`?viewer=${scene.viewerId}`);
  await page.getByRole('row', { name: scene.viewerId }).getByText('Expired').waitFor();
});

it('the back button leads to the page of the list that was left, then to the page before', async () => {
  const contentId = await registerContent(target);
  await createLeases(contentId, 53);
  const page = await openLeases(`?content=${contentId}`);
  await page.getByText('50 leases on page 1').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('3 leases on page 2').waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.querySelector("table") !== null')).toBe(true);
  await page.getByRole('rowheader').first().getByRole('button').click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('3 leases on page 2').waitFor();
  await page.getByRole('rowheader').first().getByRole('button').click();
  await page.getByRole('dialog').waitFor();
  await page.goBack();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('3 leases on page 2').waitFor();
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByRole('heading', { name: 'Audit' }).waitFor();
  await page.goBack();
  await page.getByText('3 leases on page 2').waitFor();
  await page.goBack();
  await page.getByText('50 leases on page 1').waitFor();
});

it('a computer with a wrong clock gets a warning, and shows leases by the server’s time', async () => {
  const scene = await makeScene(target);
  await createLease(target, scene);
  const page = await open({
    path: `/leases?viewer=${scene.viewerId}`,
    as: adminApiKey,
    prepare: ({ clock }) => clock.install({ time: Date.now() + 3 * 3_600_000 }),
    isAlone: true,
  });
  const row = page.getByRole('row', { name: scene.viewerId });
  await row.getByText('Active').waitFor();
  await row.getByText(/just now|minutes? ago/).waitFor();
  await page.getByText('The clock of this computer is 3 hours ahead.').waitFor();
});

it('several leases are revoked after typing their number: by viewer, by content and by the pair', async () => {
  const [first, second] = [await registerContent(target), await registerContent(target)];
  const viewer = unique('viewer');
  const token = viewerToken(target.jwtSecret, viewer);
  for (const deviceId of ['phone', 'tablet'])
    await createLease(target, { token, contentId: first }, { deviceId });
  await createLease(target, { token, contentId: second });
  await createLeases(second, 2);

  const page = await openLeases(`?viewer=${viewer}`);
  const begin = async (act: string) => {
    await page
      .getByRole('button', { name: `Actions for ${viewer} on ${first}` })
      .first()
      .click();
    await page.getByRole('menuitem', { name: act }).click();
  };
  const confirm = page.getByRole('button', { name: 'Revoke the leases' });
  await begin('Revoke every lease of this viewer…');
  await page.getByText('3 active leases will end').waitFor();
  expect(await confirm.isDisabled()).toBe(true);
  await page.getByLabel('Type 3 to confirm').fill('2');
  expect(await confirm.isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await begin('Revoke this viewer on this content…');
  await page.getByText('2 active leases will end').waitFor();
  await page.getByLabel('Type 2 to confirm').fill('2');
  await page.keyboard.press('Enter');
  await waitForAnnouncement(page, '2 leases revoked');
  await expect.poll(() => page.getByTestId('active-leases').textContent()).toBe('1 active');

  await page.getByRole('searchbox', { name: 'Viewer ID (exact)' }).fill('');
  await page.getByRole('searchbox', { name: 'Content ID (exact)' }).fill(second);
  await expect.poll(() => page.getByTestId('active-leases').textContent()).toBe('3 active');
  await page.getByRole('button', { name: 'Revoke every lease of this content…' }).click();
  await page.getByLabel('Type 3 to confirm').fill('3');
  await page.getByLabel('Reason').fill('licence ended');
  await confirm.click();
  await waitForAnnouncement(page, '3 leases revoked');
  const { json } = await client.get(`/api/v1/leases?contentId=${second}`, adminApiKey);
  expect(new Set(json.leases.map(({ reason }: { reason: string }) => reason))).toEqual(
    new Set(['licence ended']),
  );
  for (const revoked of [`content:${second}`, `viewer:${viewer} content:${first}`])
    expect(await isAudited(revoked)).toBe(true);
});

it('leases can be filtered and paged, and the address keeps the filter', async () => {
  const contentId = await registerContent(target);
  const viewers = await createLeases(contentId, 53);
  await client.post('/keys/leases/revoke', adminApiKey, { viewerId: viewers[0] });
  const page = await openLeases();
  await page.keyboard.press('/');
  await page.keyboard.type(viewers[0] ?? '');
  await expect.poll(() => viewersOn(page)).toEqual([viewers[0]]);
  await page.getByRole('searchbox', { name: 'Viewer ID (exact)' }).press('Escape');
  await page.getByRole('searchbox', { name: 'Content ID (exact)' }).fill(contentId);
  await page.getByText('50 leases on page 1').waitFor();
  await expectToFit(page, 'leases', 3840);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('3 leases on page 2').waitFor();
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByText('50 leases on page 1').waitFor();
  await page.getByLabel('State').selectOption('revoked');
  await expect.poll(() => viewersOn(page)).toEqual([viewers[0]]);
  await expect.poll(() => new URL(page.url()).search).toBe(`?content=${contentId}&state=revoked`);
});

it('a broken event stream is shown as such, reconnects, and catches up with missed events', async () => {
  const contentId = await registerContent(target);
  const [viewer = ''] = await createLeases(contentId, 1);
  let isCut = true;
  const page = await open({
    path: `/leases?content=${contentId}`,
    as: adminApiKey,
    prepare: (opened) =>
      opened.route('**/api/v1/events', (route) => (isCut ? route.abort() : route.continue())),
  });
  await page.getByText('Reconnecting…').waitFor();
  await page.getByRole('row', { name: viewer }).waitFor();
  const [missed = ''] = await createLeases(contentId, 1);
  await inspectPage(page, 'leases-not-live');
  isCut = false;
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('button', { name: '1 new' }).click();
  await page.getByRole('row', { name: missed }).waitFor();
});

it('a table stays a table down to 640 px, and becomes cards below, without sideways scrolling of the page', async () => {
  const scene = await makeScene(target);
  await createLease(target, scene);
  const page = await openLeases(`?viewer=${scene.viewerId}`);
  const head = page.locator('thead');
  for (const [width, isTable] of [
    [640, true],
    [800, true],
    [639, false],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(async () => ((await head.boundingBox())?.width ?? 0) > 1).toBe(isTable);
    await expectToFit(page, 'leases-narrow', width);
  }
});
