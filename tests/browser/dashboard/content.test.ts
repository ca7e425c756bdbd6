import {
  createApiKey,
  createLease,
  makeScene,
  registerContent,
} from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { waitForAnnouncement } from '@latchkey/support/dashboard/announcements';
import { expectToFit, inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { viewerToken } from '@latchkey/support/tokens';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { copyWith } from './copy-with.ts';

const { open, target } = await openDashboard();
const { client, adminApiKey } = target;

const register = (body: Record<string, unknown>) => client.post('/api/v1/content', adminApiKey, body);
const read = async (id: string) => (await client.get(`/api/v1/content/${id}`, adminApiKey)).json.content;
const keyStatus = async (id: string) => (await client.get(`/keys/${id}`, adminApiKey)).status;
const namesOn = (page: Page) => page.getByRole('rowheader').getByRole('link').allInnerTexts();

it('a content is registered, edited, disabled and enabled, and its keys follow', async () => {
  const id = unique('film');
  const page = await open({ path: `/content?q=${id}`, as: adminApiKey });
  await page.getByRole('button', { name: 'Register a content' }).click();
  await page.getByRole('dialog').waitFor();
  await page.getByRole('textbox', { name: 'Metadata' }).fill('{\n  "season": 2,\n  oops\n}');
  await page.getByLabel('Size').fill('a lot');
  await page.getByRole('button', { name: 'Register content' }).click();
  await page.getByText('Enter a name.').waitFor();
  await page.getByText('This is not valid JSON: see line 3, character 3.').waitFor();
  await page.getByText(/A whole number of bytes, such as/).waitFor();
  await inspectPage(page, 'content-create-faults');
  await page.getByLabel('Name', { exact: true }).fill('The long way home');
  await page.getByLabel('ID', { exact: true }).fill('no id at all');
  await page.getByLabel('Size').fill('1 400 000 000');
  await page.getByLabel('Manifest').fill(`content/${id}/master.m3u8`);
  await page.getByRole('textbox', { name: 'Metadata' }).fill('{ "season": 2 }');
  await page.getByRole('button', { name: 'Register content' }).click();
  await page.getByText('Use only letters, digits, - and _').waitFor();
  await page.getByLabel('ID', { exact: true }).fill(id);
  await page.getByRole('button', { name: 'Register content' }).click();
  await page.getByRole('heading', { level: 1, name: 'The long way home' }).waitFor();
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/admin/content/${id}`);
  expect(await read(id)).toMatchObject({
    name: 'The long way home',
    sizeBytes: 1_400_000_000,
    manifestKey: `content/${id}/master.m3u8`,
    metadata: { season: 2 },
  });

  await page.getByRole('button', { name: 'Edit…' }).click();
  await page.getByLabel('Name', { exact: true }).fill('The short way home');
  await page.getByRole('textbox', { name: 'Metadata' }).fill('{ "season": 3 }');
  // A simultaneous change by another admin is kept.
  await client.call('PATCH', `/api/v1/content/${id}`, { as: adminApiKey, json: { sizeBytes: 7 } });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'The short way home' }).waitFor();
  expect(await read(id)).toMatchObject({ sizeBytes: 7, metadata: { season: 3 } });

  await page.getByRole('button', { name: 'Disable…' }).click();
  await page.getByText(/answer 404 from then on/).waitFor();
  await page.getByText('No active leases for it.').waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel');
  await inspectPage(page, 'content-disable');
  await page.getByRole('button', { name: 'Disable the content' }).click();
  await page.getByText('This content is disabled').waitFor();
  await expect.poll(() => keyStatus(id)).toBe(404);
  await inspectPage(page, 'content-disabled');
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByText('This content is disabled').waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Disable…');
  await expect.poll(() => keyStatus(id)).toBe(200);
  const { json } = await client.get(`/api/v1/audit?target=${id}`, adminApiKey);
  expect(json.audit.length).toBeGreaterThanOrEqual(4);
});

it('a refusal moves the focus to the first wrong field of the form, in whatever order the server names them', async () => {
  const page = await open({ path: '/content', as: adminApiKey });
  const errors = [
    { path: '/sizeBytes', message: 'This is too large.' },
    { path: '/name', message: 'This name is taken.' },
  ];
  await page.route('**/api/v1/content', (route) =>
    route.fulfill({
      status: 400,
      contentType: 'application/problem+json',
      body: JSON.stringify({ code: 'VALIDATION_FAILED', errors }),
    }),
  );
  await page.getByRole('button', { name: 'Register a content' }).click();
  await page.getByLabel('Name', { exact: true }).fill('The long way home');
  await page.getByLabel('Size').fill('7');
  await page.getByRole('button', { name: 'Register content' }).click();
  await page.getByText('This is too large.').waitFor();
  expect(await page.evaluate('document.activeElement.name')).toBe('name');
});

it('a long name keeps the buttons of a dialog in sight, and a name cannot turn the words around it', async () => {
  const id = unique('film');
  const name = `S02E04_\u202E${'The_Long_Way_Home_1080p_HDR_DolbyVision_Atmos_'.repeat(3)}v3.mp4`;
  await register({ id, name });
  const page = await open({ path: `/content?q=${id}`, as: adminApiKey });
  await page.getByRole('button', { name: /^Actions for S02E04_\[U\+202E\]/ }).click();
  const item = page.getByRole('menuitem', { name: 'Disable…' });
  await item.waitFor();
  const colours = await page.evaluate(
    `[...document.querySelectorAll('[role="menuitem"]')].map((item) => getComputedStyle(item).color)`,
  );
  // The last item disables. All others have one colour.
  expect(new Set((colours as string[]).slice(0, -1)).size).toBe(1);
  expect(new Set(colours as string[]).size).toBe(2);
  await item.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('U+202E').waitFor();
  expect(await dialog.textContent()).not.toContain('\u202E');
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const button = await dialog.getByRole('button', { name: 'Disable the content' }).boundingBox();
    const frame = await dialog.boundingBox();
    expect((button?.x ?? 0) + (button?.width ?? 0)).toBeLessThanOrEqual(
      (frame?.x ?? 0) + (frame?.width ?? 0),
    );
  }
});

it('the content list and page follow changes by others: rows change in place, and new rows are counted', async () => {
  const prefix = unique('series');
  const id = `${prefix}-1`;
  await register({ id, name: `${prefix} first` });
  const page = await open({ path: `/content?q=${prefix}`, as: adminApiKey });
  await page.getByText('Live', { exact: true }).waitFor();
  await expect.poll(() => namesOn(page)).toEqual([`${prefix} first`]);
  const change = (name: string) =>
    client.call('PATCH', `/api/v1/content/${id}`, { as: adminApiKey, json: { name } });
  await change(`${prefix} renamed`);
  await expect.poll(() => namesOn(page)).toEqual([`${prefix} renamed`]);
  await register({ id: `${prefix}-2`, name: `${prefix} second` });
  await page.getByRole('button', { name: '1 new' }).waitFor();
  expect(await namesOn(page)).toEqual([`${prefix} renamed`]);
  await page.getByRole('button', { name: '1 new' }).click();
  await expect.poll(() => namesOn(page)).toEqual([`${prefix} second`, `${prefix} renamed`]);

  await page.getByRole('link', { name: `${prefix} renamed` }).click();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Edit…' }).click();
  await page.getByLabel('Size').fill('1.5');
  await change(`${prefix} again`);
  await page.getByRole('heading', { level: 1, name: `${prefix} again`, includeHidden: true }).waitFor();
  // The unsaved input is still there, and saving another value keeps the new name.
  expect(await page.getByLabel('Size').inputValue()).toBe('1.5');
  await page.getByLabel('Size').fill('7');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await read(id)).toMatchObject({ name: `${prefix} again`, sizeBytes: 7 });
});

it('registering an existing ID does not overwrite its content', async () => {
  const id = await registerContent(target);
  const page = await open({ path: '/content', as: adminApiKey });
  await page.getByRole('button', { name: 'Register a content' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Another');
  await page.getByLabel('ID', { exact: true }).fill(id);
  await page.getByLabel('ID', { exact: true }).press('Enter');
  await page.getByText('This ID is taken.').waitFor();
  expect(await read(id)).toMatchObject({ name: id });
});

it('a content has its own address, with the key URL of each epoch, the playlist line and the encrypt command', async () => {
  const { contentId, viewerId, token } = await makeScene(target);
  await createLease(target, { token, contentId }, { deviceId: 'living room' });
  const page = await open({ path: `/content/${contentId}`, as: adminApiKey });
  await page.getByText(viewerId).waitFor();
  await page.getByTestId('active-leases').getByText('1').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await expectToFit(page, 'content-detail', 3840);
  const copied = (what: string) => copyWith(page, `Copy ${what}`);
  const url = `${new URL(page.url()).origin}/keys/${contentId}`;
  expect(await copied('Key URL')).toBe(url);
  await page.getByLabel('Epoch').fill('4294967296');
  await page.getByText('From 0 to 4294967295').waitFor();
  await page.getByLabel('Epoch').fill('12');
  expect(await copied('Key URL')).toBe(`${url}/12`);
  expect(await copied('EXT-X-KEY line')).toBe(`#EXT-X-KEY:METHOD=AES-128,URI="${url}/12"`);
  expect(await copied('Encrypt command')).toContain(`--content-id=${contentId} \\\n`);

  // A new lease is announced and not inserted, so that nothing moves under the pointer.
  const other = unique('viewer');
  await createLease(target, { token: viewerToken(target.jwtSecret, other), contentId });
  await page.getByRole('button', { name: '1 new' }).click();
  await page.getByText(other).waitFor();
  await page.getByRole('button', { name: 'Revoke every lease of this content…' }).click();
  await page.getByText('2 active leases will end').waitFor();
  await page.getByLabel('Reason').fill('licence ended');
  await page.getByLabel('Type 2 to confirm').fill('2');
  await page.getByRole('button', { name: 'Revoke the leases' }).click();
  await waitForAnnouncement(page, '2 leases revoked');
  await page.getByText('No active leases').waitFor();
  const { json } = await client.get(`/api/v1/leases?contentId=${contentId}`, adminApiKey);
  const states = json.leases.map(({ state, reason }: Record<string, string>) => [state, reason]);
  expect(states).toEqual(Array(2).fill(['revoked', 'licence ended']));
});

it('content can be searched, filtered and paged, and the address keeps the state', async () => {
  const mark = unique('Étude');
  for (let n = 1; n <= 52; n++) await register({ id: unique('c'), name: `${mark} ${n}` });
  const off = (await register({ name: `${mark} off` })).json.content.id;
  await client.call('DELETE', `/api/v1/content/${off}`, { as: adminApiKey });
  const page = await open({ path: '/content', as: adminApiKey });
  await page.getByRole('table').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type(mark.toUpperCase());
  await page.getByText('1–50 of 53 contents').waitFor();
  await expectToFit(page, 'content', 3840);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('51–53 of 53 contents').waitFor();
  // The old rows stay until the new ones arrive.
  await expect.poll(async () => (await namesOn(page)).at(-1)).toBe(`${mark} 1`);
  await expect.poll(() => new URL(page.url()).searchParams.get('page')).toBe('2');
  await page.getByRole('link', { name: `${mark} 1`, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: mark }).waitFor();
  await page.goBack();
  await page.getByText('51–53 of 53 contents').waitFor();
  await page.getByLabel('Status').selectOption('disabled');
  await expect.poll(() => namesOn(page)).toEqual([`${mark} off`]);
  await page.getByRole('button', { name: `Actions for ${mark} off` }).click();
  await page.getByRole('menuitem', { name: 'Enable' }).click();
  await page.getByText('No matching content').waitFor();
  await inspectPage(page, 'content-none');
});

it('an unknown content ID shows No such content', async () => {
  const page = await open({ path: '/content/no-such-film', as: adminApiKey });
  await page.getByRole('heading', { name: 'No such content' }).waitFor();
});

it('a key of scope playback reads content and changes nothing', async () => {
  const id = await registerContent(target);
  const { raw } = await createApiKey(target, 'playback');
  const page = await open({ path: `/content?q=${id}`, as: raw });
  await page.getByRole('rowheader', { name: id }).waitFor();
  expect(await page.getByRole('button', { name: 'Register a content' }).count()).toBe(0);
  await page.getByRole('button', { name: `Actions for ${id}` }).click();
  const offered = () => page.getByRole('menuitem').allInnerTexts();
  await expect.poll(offered).toEqual(['Details', 'Copy key URL']);
  await page.getByRole('menuitem', { name: 'Details' }).click();
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
  for (const name of ['Edit…', 'Disable…', 'Revoke every lease of this content…'])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
});
