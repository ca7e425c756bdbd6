import { createApiKey, createLease, makeScene } from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { expectToFit } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

const { open, target } = await openDashboard();
const { adminApiKey: as, client } = target;
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const namesOn = (page: Page) => page.getByRole('rowheader').locator('a, button').allInnerTexts();
const headerOf = (page: Page, name: string) => page.getByRole('columnheader', { name });
const query = (page: Page) => new URL(page.url()).searchParams.toString();

it('a click on a header, or Enter on it, sorts API keys, and the address that names the order opens it', async () => {
  const mark = unique('sorted');
  const names = ['later', 'never', 'soon'].map((when) => `${mark} ${when}`);
  const [later = '', never = '', soon = ''] = names;
  await createApiKey(target, 'upload', { name: later, expiresAt: inDays(20) });
  await createApiKey(target, 'upload', { name: never });
  await createApiKey(target, 'upload', { name: soon, expiresAt: inDays(2) });
  const page = await open({ path: `/api-keys?q=${mark}`, as });
  await expect.poll(() => namesOn(page)).toEqual([soon, never, later]);
  expect(await headerOf(page, 'Created').getAttribute('aria-sort')).toBe('descending');
  expect(await headerOf(page, 'Expires').getAttribute('aria-sort')).toBeNull();
  expect(await headerOf(page, 'Scope').getByRole('button').count()).toBe(0);

  await headerOf(page, 'Expires').getByRole('button').click();
  await expect.poll(() => namesOn(page)).toEqual([soon, later, never]);
  expect(await headerOf(page, 'Expires').getAttribute('aria-sort')).toBe('ascending');
  expect(await headerOf(page, 'Created').getAttribute('aria-sort')).toBeNull();
  expect(query(page)).toBe(`q=${mark}&sort=expiresAt`);

  await headerOf(page, 'Expires').getByRole('button').focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => namesOn(page)).toEqual([never, later, soon]);
  expect(await headerOf(page, 'Expires').getAttribute('aria-sort')).toBe('descending');
  await headerOf(page, 'Created').getByRole('button').click();
  await expect.poll(() => namesOn(page)).toEqual([soon, never, later]);
  expect(query(page)).toBe(`q=${mark}`);

  const shared = await open({ path: `/api-keys?q=${mark}&sort=expiresAt`, as });
  await expect.poll(() => namesOn(shared)).toEqual([soon, later, never]);
});

it('where rows are cards, a select has the orders', async () => {
  const mark = unique('cards');
  for (const name of ['b', 'a', 'c']) {
    const id = `${mark}-${name}`;
    await client.post('/api/v1/content', as, { id, name: `${mark} ${name}` });
  }
  const page = await open({ path: `/content?q=${mark}`, as });
  const links = () => page.getByRole('rowheader').getByRole('link').allInnerTexts();
  await expect.poll(links).toEqual(['c', 'a', 'b'].map((name) => `${mark} ${name}`));
  const select = page.getByRole('combobox', { name: 'Order of contents' });
  expect(await select.isVisible()).toBe(false);
  await page.setViewportSize({ width: 390, height: 900 });
  await select.selectOption('Name: A to Z');
  await expect.poll(links).toEqual(['a', 'b', 'c'].map((name) => `${mark} ${name}`));
  expect(query(page)).toBe(`q=${mark}&sort=name`);
  expect(await page.getByRole('button', { name: 'Registered' }).count()).toBe(0);
  await expectToFit(page, 'content-sorted', 390);
});

it('leases are sorted by their end only where active ones of everybody are shown', async () => {
  const scene = await makeScene(target);
  const first = await createLease(target, scene, { requestedTtlSeconds: 300 });
  await createLease(target, scene, { requestedTtlSeconds: 400 });
  const page = await open({ path: `/leases?viewer=${scene.viewerId}&state=active`, as });
  await expect.poll(() => page.getByRole('rowheader').count()).toBe(2);
  expect(await headerOf(page, 'Ends').getByRole('button').count()).toBe(0);
  await headerOf(page, 'Created').getByRole('button').click();
  await expect.poll(() => query(page)).toContain('sort=createdAt');
  await expect.poll(() => headerOf(page, 'Created').getAttribute('aria-sort')).toBe('ascending');
  // Until then the rows have the previous order.
  await page.locator('main table[aria-busy=false]').waitFor();
  await page.getByRole('rowheader').getByRole('button').first().click();
  await page.getByRole('dialog').getByText(first).first().waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('searchbox', { name: 'Viewer ID (exact)' }).fill('');
  await headerOf(page, 'Ends').getByRole('button').click();
  await expect.poll(() => headerOf(page, 'Ends').getAttribute('aria-sort')).toBe('ascending');
  expect(query(page)).toBe('state=active&sort=expiresAt');
});

it('the audit is shown oldest first', async () => {
  const scene = await makeScene(target);
  const edit = (sizeBytes: number) =>
    client.call('PATCH', `/api/v1/content/${scene.contentId}`, { as, json: { sizeBytes } });
  await edit(1);
  await edit(2);
  const page = await open({ path: `/audit?target=${scene.contentId}&sort=at`, as });
  await expect
    .poll(() => namesOn(page))
    .toEqual(['Register a content', 'Change a content', 'Change a content']);
  expect(await headerOf(page, 'Time').getAttribute('aria-sort')).toBe('ascending');
  await headerOf(page, 'Time').getByRole('button').click();
  await expect
    .poll(() => namesOn(page))
    .toEqual(['Change a content', 'Change a content', 'Register a content']);
});

it('the palette shows a content whose ID begins with the text before newer ones that only contain it', async () => {
  const mark = unique('begin');
  await client.post('/api/v1/content', as, { id: `${mark}-film`, name: 'The one' });
  for (let n = 0; n < 6; n++)
    await client.post('/api/v1/content', as, { id: unique('other'), name: `New ${mark}-film ${n}` });
  const page = await open({ as });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Go to' });
  await dialog.getByRole('combobox').fill(`${mark}-film`);
  await dialog.getByRole('option').filter({ hasText: 'New' }).first().waitFor();
  expect(await dialog.getByRole('option').first().textContent()).toContain('The one');
  expect(await dialog.getByRole('option').filter({ hasText: 'The one' }).count()).toBe(1);
});
