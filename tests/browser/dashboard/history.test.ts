import {
  createApiKey,
  createLease,
  makeScene,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

const { open, target } = await openDashboard();
const { client, adminApiKey } = target;

it('a content shows what was done to it and by which key: edits and revocations together, newest first, and a new act at once', async () => {
  const name = unique('editor');
  const { raw } = await createApiKey(target, 'full', { name });
  const { contentId } = await makeScene(target);
  const edit = (json: object) => client.call('PATCH', `/api/v1/content/${contentId}`, { as: raw, json });
  await edit({ name: 'Second name' });
  await client.post('/keys/leases/revoke', raw, { contentId, reason: 'the licence ended' });
  const page = await open({ path: `/content/${contentId}`, as: adminApiKey });
  const entries = page.getByRole('region', { name: 'History' }).getByRole('listitem');
  await expect.poll(() => entries.count()).toBe(3);
  expect(await entries.nth(0).textContent()).toContain(`API key ${name}: the licence ended`);
  expect(await entries.nth(1).textContent()).toContain(`API key ${name}: changed name`);
  expect(await entries.nth(2).textContent()).toContain('Register a content');
  await inspectPage(page, 'content-history');
  await edit({ metadata: { season: 2 } });
  await entries.first().getByText(`API key ${name}: changed metadata`).waitFor();
  await page.getByRole('link', { name: 'All records of this content' }).click();
  await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
  expect(await page.getByLabel('Target').inputValue()).toBe(contentId);
});

it('a viewer shows its revocations with their reasons, and the management that it was refused', async () => {
  const viewerId = unique('viewer');
  const token = viewerToken(target.jwtSecret, viewerId);
  const refused = await client.post('/keys/leases/revoke', token, { viewerId: `${viewerId}-2` });
  expect(refused.json.code).toBe('INSUFFICIENT_SCOPE');
  // The rows of refusals are written together, a moment later.
  const query = new URLSearchParams({ actor: viewerId });
  await expect
    .poll(async () => (await client.get(`/api/v1/audit?${query}`, adminApiKey)).json.audit.length)
    .toBe(1);
  const page = await open({ path: `/viewers?${new URLSearchParams({ viewer: viewerId })}`, as: adminApiKey });
  const history = page.getByRole('region', { name: 'History' });
  await history.getByText('INSUFFICIENT_SCOPE').waitFor();
  await revokeLeases(target, { viewerId, reason: 'shared <b>account</b>' });
  await history.getByText('shared <b>account</b>').waitFor();
  await inspectPage(page, 'viewer-history');
  const other = await open({
    path: `/viewers?${new URLSearchParams({ viewer: unique('nobody') })}`,
    as: adminApiKey,
  });
  await other.getByText('No management action on or by this viewer is in the audit.').waitFor();
});

it('a lease shows its own revocation in its history', async () => {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  await revokeLeases(target, { leaseId, reason: 'stolen device' });
  const page = await open({ path: `/leases?lease=${leaseId}`, as: adminApiKey });
  const entry = page.getByRole('dialog').getByRole('listitem');
  await entry.getByText('stolen device').waitFor();
  expect(await entry.count()).toBe(1);
  await inspectPage(page, 'lease-history');
});
