import { createApiKey } from '@latchkey/support/black-box/server-actions';
import { waitForAnnouncement } from '@latchkey/support/dashboard/announcements';
import { openDashboard, startDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { signIn } from '@latchkey/support/dashboard/sign-in';
import { expect, it } from 'vitest';
import { openRestartableDashboard, untilFetchedAhead } from './restartable-server.ts';

const alone = await startDashboard({ ADMIN_API_KEY: undefined });
const shared = await openDashboard();
const mortal = await openRestartableDashboard();

it('revoking the last key that can manage shows a warning', async () => {
  const { server, open } = alone;
  const { json } = await server.client.post('/api/v1/setup', undefined, { name: 'only' });
  const admin = { ...server, adminApiKey: json.raw_key };
  const second = await createApiKey(admin, 'full', { name: 'second' });
  const page = await open({ path: '/api-keys', as: json.raw_key });
  const warning = page.getByText('This is the last key that can manage the server');
  const beginRevoking = async (name: string) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByRole('dialog').waitFor();
  };
  await beginRevoking('second');
  await page.getByLabel(/Type lk_/).fill(second.raw.slice(0, 11));
  await page.getByRole('button', { name: 'Revoke the key' }).click();
  await waitForAnnouncement(page, 'Key revoked');
  await beginRevoking('only');
  await warning.waitFor();
});

it('an action during an outage fails with a message, and works after the outage without a reload', async () => {
  const server = await mortal.start();
  const page = await mortal.open({ path: '/leases', as: server.adminApiKey });
  await page.getByText('Live', { exact: true }).waitFor();
  await page.evaluate('window.isStillTheSame = true');
  await untilFetchedAhead(page);
  await server.kill();
  await page.getByText('Reconnecting…').waitFor();
  await page.getByRole('link', { name: 'Content' }).click();
  await page.getByRole('button', { name: 'Register a content' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Begun too early');
  const register = page.getByRole('button', { name: 'Register content' });
  await register.click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  const banner = page.getByText('The server does not answer.', { exact: true });
  await banner.waitFor();
  await server.restart();
  await banner.waitFor({ state: 'detached' });
  await register.click();
  await page.getByRole('heading', { level: 1, name: 'Begun too early' }).waitFor();
  await page.getByRole('link', { name: 'Leases' }).click();
  await page.getByText('Live', { exact: true }).waitFor();
  expect(await page.evaluate('window.isStillTheSame')).toBe(true);
});

it('a page script that fails to load does not sign the admin out, and loads on the next visit', async () => {
  const page = await shared.open({ path: '/account', broken: /audit-page/ });
  let isBroken = true;
  await page.route('**/assets/audit-page-*.js', (route) => (isBroken ? route.abort() : route.continue()));
  const isPreloaded = page.waitForEvent('requestfailed');
  await signIn(page, shared.target.adminApiKey);
  await isPreloaded;
  await page.getByRole('link', { name: 'Leases' }).click();
  await page.getByRole('heading', { name: 'Leases' }).waitFor();
  isBroken = false;
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByRole('heading', { name: 'Audit' }).waitFor();
});

it('after an upgrade, when page scripts have other names, an open page reloads by itself', async () => {
  const page = await shared.open({ path: '/account', broken: /audit-page/ });
  await page.route('**/assets/audit-page-*.js', (route) => route.fulfill({ status: 404 }));
  const upgraded = '<script type="module" src="/admin/assets/index-of-the-next-release.js"></script>';
  await page.route('**/admin/', (route) => route.fulfill({ contentType: 'text/html', body: upgraded }));
  await page.getByLabel(/Keep me signed in/).check();
  const reloaded = page.waitForEvent('load');
  await signIn(page, shared.target.adminApiKey);
  await reloaded;
  await page.getByRole('heading', { name: 'Your key' }).waitFor();
});
