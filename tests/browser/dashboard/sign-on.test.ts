import { unique } from '@latchkey/support/black-box/unique';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { startDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { expect, it } from 'vitest';

const secret = unique('proxy').padEnd(40, '.');
// No other test needs these settings.
const { open, server } = await startDashboard({
  TRUST_PROXY: 'loopback',
  DASHBOARD_USER_HEADER: 'Remote-User',
  DASHBOARD_USER_SECRET: secret,
});
await server.client.post('/api/v1/setup', server.adminApiKey);

it('what an admin does in the dashboard behind a proxy with sign-on is in the audit with the name of the person', async () => {
  const person = 'zoe <zoe@example.com>';
  const prepare = (page: { setExtraHTTPHeaders(headers: Record<string, string>): Promise<void> }) =>
    page.setExtraHTTPHeaders({ 'remote-user': person, 'x-latchkey-proxy-secret': secret });
  const page = await open({ path: '/api-keys', as: server.adminApiKey, prepare });
  await page
    .getByRole('button', { name: /^Create/ })
    .first()
    .click();
  await page.getByLabel('Name', { exact: true }).fill(unique('encoder'));
  await page.getByRole('button', { name: 'Create the key' }).click();
  await page.getByTestId('raw-key').waitFor();
  const reader = await open({ path: '/audit?action=api-key.create', as: server.adminApiKey });
  const row = reader.getByRole('row').filter({ hasText: person });
  await row.first().waitFor();
  await row.first().getByRole('rowheader').getByRole('button').click();
  const dialog = reader.getByRole('dialog', { name: 'Audit record' });
  await dialog.getByText(person, { exact: true }).first().waitFor();
  await inspectPage(reader, 'audit-person');
  expect(await dialog.getByRole('term').filter({ hasText: 'Person' }).count()).toBe(1);
});
