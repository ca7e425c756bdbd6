import { createApiKey, createLease, registerContent } from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { expect, it } from 'vitest';

const { open, target } = await openDashboard();
const { adminApiKey } = target;
const tenant = unique('tenant');
const contents = [`${tenant}-*`, unique('alone')];
const film = await registerContent(target, `${tenant}-film`);
const foreign = await registerContent(target);
const viewerId = unique('viewer');
for (const contentId of [film, foreign])
  await createLease(target, { token: adminApiKey, contentId }, { viewerId });
const { raw } = await createApiKey(target, 'full', { contents, name: unique('tenant key') });

it('a limited key sees an overview of its own contents, and no page about the whole server', async () => {
  const page = await open({ as: raw });
  await page.getByText('This key is limited to some contents').waitFor();
  await page.getByRole('definition').getByRole('link', { name: '1', exact: true }).first().waitFor();
  const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
  expect(links).toEqual([
    ...['Overview', 'API keys', 'Content', 'Leases', 'Viewers', 'Refusals', 'Usage', 'Your key'],
  ]);
  await inspectPage(page, 'limited-overview');
});

it.each(['/audit', '/webhooks', '/settings'])(
  'the page %s explains in a sentence why a limited key cannot see it',
  async (path) => {
    const page = await open({ path, as: raw });
    await page.getByText('Your key is limited to some contents').waitFor();
  },
);
