import {
  createApiKey,
  createLease,
  makeScene,
  registerContent,
} from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { expect, it } from 'vitest';

const { open, target } = await openDashboard();
const { adminApiKey } = target;

it('Ctrl+K finds pages, contents and viewers, and any pasted ID, by the keyboard alone', async () => {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  const contentId = await registerContent(target, unique('palette-film'));
  const page = await open({ as: adminApiKey });
  await page.getByRole('heading', { level: 1 }).waitFor();
  const pathname = () => new URL(page.url()).pathname + new URL(page.url()).search;
  const dialog = page.getByRole('dialog', { name: 'Go to' });
  const field = dialog.getByRole('combobox');
  const chosen = dialog.getByRole('option', { selected: true });
  await page.keyboard.press('Control+k');
  await field.waitFor();
  await chosen.getByText('Overview').waitFor();

  await field.fill('your');
  await page.keyboard.press('Enter');
  await expect.poll(pathname).toBe('/admin/account');
  expect(await dialog.isVisible()).toBe(false);

  await page.keyboard.press('Control+k');
  await field.fill(contentId.slice(0, -2));
  await dialog
    .getByRole('option')
    .filter({ hasText: `Content ${contentId}` })
    .waitFor();
  await inspectPage(page, 'palette-found');
  await field.fill(scene.viewerId.slice(0, -2));
  await chosen.filter({ hasText: 'Viewer' }).filter({ hasText: scene.viewerId }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(pathname).toBe(`/admin/viewers?viewer=${scene.viewerId}`);

  await page.keyboard.press('Control+k');
  await field.fill(leaseId);
  await chosen.getByText('Lease with this ID').waitFor();
  await page.keyboard.press('ArrowDown');
  await chosen.getByText('API key with this ID').waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText(scene.viewerId).first().waitFor();
  await page.keyboard.press('Escape');

  await page.keyboard.press('Control+k');
  await field.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

it('a credential that is pasted into the palette is sent nowhere', async () => {
  const { raw } = await createApiKey(target, 'playback');
  const page = await open({ as: adminApiKey });
  await page.getByRole('button', { name: 'Go to…' }).click();
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  await page.getByRole('dialog').getByRole('combobox').fill(raw);
  await page.getByText('This is an API key.').waitFor();
  await inspectPage(page, 'palette-credential');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
  expect(page.url()).not.toContain(raw);
  expect(urls.filter((url) => url.includes(raw))).toEqual([]);
});

it('g and a letter go to a page, but not while typing, in a dialog, or to a page that the key cannot see', async () => {
  const page = await open({ path: '/leases', as: adminApiKey });
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  await heading('Leases').waitFor();
  await page.keyboard.type('ga');
  await heading('Audit').waitFor();
  await page.keyboard.type('gl');
  await heading('Leases').waitFor();
  const field = page.getByRole('searchbox').first();
  await field.fill('');
  await field.pressSequentially('ga');
  expect([await field.inputValue(), await heading('Leases').isVisible()]).toEqual(['ga', true]);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await page.getByRole('button', { name: 'Close' }).focus();
  await page.keyboard.type('ga');
  expect(await page.getByRole('dialog', { name: 'Go to' }).isVisible()).toBe(true);
  const { raw } = await createApiKey(target, 'playback');
  const limited = await open({ path: '/content', as: raw });
  await limited.getByRole('heading', { level: 1, name: 'Content' }).waitFor();
  await limited.keyboard.type('ga');
  await limited.keyboard.type('gy');
  await limited.getByRole('heading', { level: 1, name: 'Your key' }).waitFor();
});

it('? lists the keys of the dashboard, but not while typing, and what the palette only guesses has a heading', async () => {
  const page = await open({ path: '/leases', as: adminApiKey });
  await page.getByRole('heading', { level: 1, name: 'Leases' }).waitFor();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keys' });
  await dialog.getByText('Find anything').waitFor();
  await dialog.getByText('Webhooks').waitFor();
  await inspectPage(page, 'shortcuts');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByLabel('Viewer ID (exact)').press('?');
  expect(await dialog.count()).toBe(0);
  await page.getByRole('heading', { level: 1, name: 'Leases' }).focus();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Go to' });
  await palette.getByRole('combobox').fill('audit');
  await palette.getByRole('group', { name: 'Pages' }).getByRole('option', { name: 'Audit' }).waitFor();
  const guesses = palette.getByRole('group', { name: 'Look up' });
  await guesses.getByRole('option', { name: 'Leases of this viewer' }).waitFor();
  await inspectPage(page, 'palette-guesses');
});
