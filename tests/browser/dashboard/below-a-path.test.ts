import { serveBelowPath } from '@latchkey/support/black-box/serve-below-path';
import { registerContent } from '@latchkey/support/black-box/server-actions';
import { openSharedDashboard, signIn } from '@latchkey/support/dashboard/open-dashboard';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { downloadWith } from './download-with.ts';

// Any request to another path of the proxy fails a test.
const { open, target } = await openSharedDashboard('base-path', (server) => serveBelowPath('/base', server));

const pathOf = (page: Page) => new URL(page.url()).pathname;

it('below the path of PUBLIC_URL, an admin signs in, sees live events, exports the audit, and reloads', async () => {
  await registerContent(target);
  const page = await open();
  await page.getByLabel(/Keep me signed in/).check();
  await signIn(page, target.adminApiKey);
  await page.getByRole('link', { name: 'Leases' }).click();
  await page.getByText('Live', { exact: true }).waitFor();
  expect(pathOf(page)).toBe('/base/admin/leases');
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByRole('button', { name: 'Export' }).click();
  const { text } = await downloadWith(page, page.getByRole('menuitem', { name: 'CSV' }));
  expect(text).toContain('content.create');
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
  expect(pathOf(page)).toBe('/base/admin/audit');
});

it('below the path of PUBLIC_URL, the page of a content opens by its address, and names the server with the path', async () => {
  const contentId = await registerContent(target);
  const page = await open({ path: `/content/${contentId}`, as: target.adminApiKey });
  await page.getByText(`https://keys.example/base/keys/${contentId}`, { exact: true }).waitFor();
  const { origin } = new URL(page.url());
  await page.getByText(`--server=${origin}/base`).waitFor();
  await page.getByRole('link', { name: 'Content', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Content' }).waitFor();
  expect(pathOf(page)).toBe('/base/admin/content');
});

it('below the path of PUBLIC_URL, an address that does not exist is shown as that', async () => {
  const page = await open({ path: '/nowhere', as: target.adminApiKey });
  await page.getByRole('heading', { level: 1, name: 'No such page' }).waitFor();
});
