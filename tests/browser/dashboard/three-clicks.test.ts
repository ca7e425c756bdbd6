import {
  askForKey,
  createApiKey,
  createLease,
  makeScene,
  registerContent,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { startDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { viewerToken } from '@latchkey/support/tokens';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';

const { open, server } = await startDashboard({});
await server.client.post('/api/v1/setup', server.adminApiKey);
const abuseDesk = await createApiKey(server, 'full', { name: 'abuse desk' });
const scene = await makeScene(server);
const { viewerId, contentId } = scene;
const leaseId = await createLease(server, scene);
await revokeLeases({ ...server, adminApiKey: abuseDesk.raw }, { leaseId, reason: 'chargeback' });
// Enough for a share to be a problem, with a code that is rarer than the one of the leases.
const other = await makeScene(server);
for (let n = 0; n < 90; n++) await askForKey(server, other);
for (let n = 0; n < 12; n++) await askForKey(server, scene, leaseId);
for (let n = 0; n < 3; n++) await server.client.get(`/keys/${contentId}`);

/** The Overview, and a click that is counted. */
async function begin() {
  const page = await open({ as: server.adminApiKey });
  let clicks = 0;
  const click = async (target: Locator) => {
    clicks++;
    await target.click();
  };
  return { page, click, clicks: () => clicks };
}
const link = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true });

it('why a viewer cannot play, and which API key did this, take three clicks', async () => {
  const { page, click, clicks } = await begin();
  await click(link(page, 'Refusals'));
  await page.getByLabel('Viewer, token, request ID or lease ID').fill(viewerId);
  await click(page.getByRole('button', { name: 'Explain', exact: true }));
  const answer = page.getByRole('status').filter({ hasText: `${viewerId} gets no key of ${contentId}` });
  await answer
    .getByText(/its lease was revoked just now .* by API key abuse desk, reason chargeback/)
    .waitFor();
  expect(clicks()).toBe(2);
  await click(page.getByRole('link', { name: 'Record in the audit' }));
  await page.getByRole('row').filter({ hasText: 'abuse desk' }).filter({ hasText: leaseId }).waitFor();
  expect(clicks()).toBe(3);
});

it('the warning of refused requests names its code, and leads to the rows and to their answer in two clicks', async () => {
  const { page, click, clicks } = await begin();
  const problem = page.getByRole('listitem').filter({ hasText: 'were refused in the last hour' });
  await problem.getByText('80 % of them have the code LEASE_REVOKED.').waitFor();
  await inspectPage(page, 'overview-refused');
  await click(problem.getByRole('link', { name: 'Show the refusals with LEASE_REVOKED' }));
  const rows = page.getByRole('table', { name: 'Latest refusals' }).getByRole('rowheader');
  await expect.poll(() => rows.allInnerTexts()).toHaveLength(12);
  expect(new Set(await rows.allInnerTexts()).size).toBe(1);
  expect(await page.getByLabel('Code', { exact: true }).inputValue()).toBe('LEASE_REVOKED');
  await click(page.getByRole('button', { name: `Explain LEASE_REVOKED of ${viewerId}` }).first());
  await page.getByText(/by API key abuse desk, reason chargeback/).waitFor();
  expect(clicks()).toBe(2);
});

it('who shares an account takes two clicks, and on which devices a third', async () => {
  const sharing = unique('sharing');
  const token = viewerToken(server.jwtSecret, sharing);
  for (const deviceId of ['tv', 'phone', 'tablet'])
    await createLease(server, { token, contentId }, { deviceId });
  const { page, click, clicks } = await begin();
  await click(link(page, 'Viewers'));
  await click(page.getByRole('button', { name: 'Most devices' }));
  const first = page.getByRole('rowheader').getByRole('link').first();
  await expect.poll(() => first.textContent()).toBe(sharing);
  expect(clicks()).toBe(2);
  await click(first);
  await page.getByText('3: tablet, phone, tv').waitFor();
  expect(clicks()).toBe(3);
});

it('what was changed at a time takes one click', async () => {
  await registerContent(server);
  const { page, click, clicks } = await begin();
  await click(link(page, 'Audit'));
  await page.getByLabel('From', { exact: true }).fill('2026-01-31T14:05');
  await page.getByRole('row').filter({ hasText: 'Register a content' }).first().waitFor();
  expect(clicks()).toBe(1);
});

it('the navigation has three groups, and shows how many open problems each page is about', async () => {
  const { page } = await begin();
  const nav = page.getByRole('navigation', { name: 'Pages' });
  for (const [group, names] of [
    ['watch', ['Overview', 'Refusals', 'Usage', 'Audit']],
    ['manage', ['Content', 'Leases', 'Viewers', 'API keys']],
    ['set up', ['Webhooks', 'Settings', 'Your key']],
  ] as const)
    expect(await nav.getByRole('list', { name: group }).getByRole('link').allInnerTexts()).toEqual(names);
  for (const name of ['Overview', 'Refusals']) {
    await expect.poll(() => link(page, name).getAttribute('aria-describedby')).toBeTruthy();
    const id = await link(page, name).getAttribute('aria-describedby');
    expect(await page.locator(`[id="${id}"]`).textContent()).toBe('1 open problem');
  }
  expect(await link(page, 'Audit').getAttribute('aria-describedby')).toBeNull();
});
