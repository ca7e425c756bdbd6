import { expectToFit, inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { expect, it } from 'vitest';

const { open, target } = await openDashboard();

it('the settings show processes, storage and variables, which can be searched, and no secret', async () => {
  const page = await open({ path: '/settings', as: target.adminApiKey });
  const variables = page.getByRole('table', { name: 'Variables' });
  await variables.getByText('RATE_LIMIT', { exact: true }).waitFor();
  await page
    .getByRole('table', { name: 'Processes' })
    .getByText(/^1: [0-9a-f]{16}$/)
    .first()
    .waitFor();
  await page.getByText(/^(SQLite|Postgres)$/).waitFor();
  for (const width of [390, 1280]) await expectToFit(page, 'settings', width);
  expect(await page.content()).not.toContain(target.jwtSecret);

  await page.getByRole('searchbox', { name: 'Variable or meaning' }).fill('MASTER_KEY_HEX');
  await variables
    .getByText(/not shown$/)
    .first()
    .waitFor();
  await expect.poll(() => variables.getByText('RATE_LIMIT', { exact: true }).count()).toBe(0);
  await inspectPage(page, 'settings');
  await page.getByRole('searchbox', { name: 'Variable or meaning' }).fill('no such variable');
  await page.getByText('No matching variables').waitFor();
});
