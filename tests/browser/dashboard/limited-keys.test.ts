import { createApiKey, createLease, registerContent } from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { expect, it } from 'vitest';

const { open, target } = await openDashboard();
const { adminApiKey, client } = target;
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
    ...['Overview', 'Refusals', 'Usage', 'Content', 'Leases', 'Viewers', 'API keys', 'Your key'],
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

it('the pages of a limited key show its own contents, leases and viewers, and ask the server for nothing that it refuses', async () => {
  const page = await open({ path: '/content', as: raw });
  const refused: string[] = [];
  page.on('response', (answer) => {
    if (answer.status() === 403) refused.push(answer.url());
  });
  await page.getByRole('row', { name: film }).waitFor();
  expect(await page.getByText(foreign).count()).toBe(0);
  for (const [path, shown] of [
    [`/content/${film}`, 'Usage over time'],
    ['/leases', film],
    [`/viewers?viewer=${viewerId}`, film],
    ['/usage', 'By content'],
    ['/refusals', 'Why is a key refused?'],
    ['/refusals', 'By content'],
    [`/refusals?viewer=${viewerId}`, `${viewerId} gets the key of ${film} now`],
    ['/api-keys', 'tenant key'],
  ] as const) {
    await page.goto(`${new URL(page.url()).origin}/admin${path}`);
    await page.getByText(shown).first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByText(foreign).count()).toBe(0);
  }
  expect(refused).toEqual([]);
});

it('the contents of a key are on its account page and in the list of keys, and are given when a key is created', async () => {
  const account = await open({ path: '/account', as: raw });
  await account.getByText(contents.join(', ')).waitFor();
  await inspectPage(account, 'limited-account');

  const name = unique('made');
  const page = await open({ path: `/api-keys?q=${name}`, as: adminApiKey });
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Contents').fill('a/b');
  await page.getByRole('button', { name: 'Create the key' }).click();
  await page.getByText('Give at most 50 IDs or prefixes').waitFor();
  await page.getByLabel('Contents').fill(contents.join('\n'));
  await inspectPage(page, 'limited-create');
  await page.getByRole('button', { name: 'Create the key' }).click();
  await page.getByTestId('raw-key').waitFor();
  await page.getByLabel(/I have stored this key/).check();
  await page.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('row', { name });
  await row.getByText(`${contents[0]} and 1 more`).waitFor();
  await inspectPage(page, 'limited-list');
  const { json } = await client.get(`/api/v1/api-keys?q=${name}`, adminApiKey);
  expect(json.api_keys[0].contents).toEqual(contents);
});
