import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApiKey, registerContent } from '@latchkey/support/black-box/server-actions';
import { itInChromium } from '@latchkey/support/black-box/shared-browser';
import { unique } from '@latchkey/support/black-box/unique';
import { waitForAnnouncement } from '@latchkey/support/dashboard/announcements';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard, type Preparation } from '@latchkey/support/dashboard/open-dashboard';
import { viewerToken } from '@latchkey/support/tokens';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { downloadWith } from './download-with.ts';
import { passTimeUntil } from './pass-time.ts';

const { open, target } = await openDashboard();
const { client, adminApiKey, jwtSecret } = target;

/** Opens the page with a filter, and waits for its event stream. */
async function openAudit(query: Record<string, string>, prepare?: Preparation): Promise<Page> {
  const page = await open({
    path: `/audit?${new URLSearchParams(query)}`,
    as: adminApiKey,
    prepare,
    isAlone: prepare !== undefined,
  });
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('rowheader').first().or(page.getByText('No matching records')).waitFor();
  return page;
}

const rowsOf = (page: Page) => page.getByRole('rowheader').getByRole('button').allInnerTexts();

/** Makes the server refuse a viewer: viewers may not list leases. @returns the request IDs */
async function beRefused(viewerId: string, times: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < times; n++)
    ids.push((await client.get('/api/v1/leases', viewerToken(jwtSecret, viewerId))).requestId);
  return ids;
}

const change = (contentId: string) =>
  client.call('PATCH', `/api/v1/content/${contentId}`, { as: adminApiKey, json: { name: unique('film') } });

/** Exports in a format of the menu. */
async function save(page: Page, format: string): Promise<{ name: string; text: string }> {
  await page.getByRole('button', { name: 'Export' }).click();
  return downloadWith(page, page.getByRole('menuitem', { name: format }));
}

/** A server whose answers start and never end, until the test destroys them. */
async function startEndless(): Promise<{ url: string; answers: ServerResponse[] }> {
  const answers: ServerResponse[] = [];
  const server = createServer((_, answer) => {
    answers.push(answer);
    answer.write('id,at\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answers };
}

it('audit records can be searched and filtered, the address keeps the filter, and an empty result explains what to do', async () => {
  const contentId = await registerContent(target);
  await change(contentId);
  const viewerId = unique('viewer');
  await beRefused(viewerId, 1);
  const page = await open({ path: '/audit', as: adminApiKey });
  await page.getByRole('rowheader').first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type(contentId);
  await expect.poll(() => rowsOf(page)).toEqual(['Change a content', 'Register a content']);
  await page.getByLabel('Action').selectOption('content.create');
  await expect.poll(() => rowsOf(page)).toEqual(['Register a content']);
  await page.getByLabel('Outcome').selectOption('refused');
  await page.getByText('No matching records').waitFor();
  await inspectPage(page, 'audit-none');
  const query = { target: contentId, action: 'content.create', outcome: 'refused' };
  await expect.poll(() => Object.fromEntries(new URL(page.url()).searchParams)).toEqual(query);
  await page.reload();
  await page.getByText('No matching records').waitFor();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await page.getByLabel('Actor ID (exact)').fill(viewerId);
  await expect.poll(() => rowsOf(page)).toEqual(['List leases']);
  expect(await page.getByRole('row').last().textContent()).toContain('INSUFFICIENT_SCOPE');
});

it('audit records can be narrowed to a time range, local in the fields and UTC in the address', async () => {
  const contentId = await registerContent(target);
  const page = await openAudit({ target: contentId });
  await expect.poll(() => rowsOf(page)).toEqual(['Register a content']);
  // The browser's time zone is Berlin.
  await page.getByLabel('Until').fill('2026-01-31T13:00');
  await page.getByText('No matching records').waitFor();
  await expect.poll(() => new URL(page.url()).searchParams.get('to')).toBe('2026-01-31T12:00:00.000Z');
  await page.getByLabel('Until').fill('');
  await expect.poll(() => rowsOf(page)).toEqual(['Register a content']);
  await page.getByLabel('From').fill('2026-01-31T13:00');
  await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe('2026-01-31T12:00:00.000Z');
  await expect.poll(() => rowsOf(page)).toEqual(['Register a content']);
});

it('a range that ends before it starts shows a warning', async () => {
  const page = await openAudit({ from: '2026-02-01T12:00:00.000Z', to: '2026-01-31T12:00:00.000Z' });
  await page.getByText('From is not before Until').waitFor();
  await page.getByLabel('Until').fill('');
  await page.getByText('From is not before Until').waitFor({ state: 'detached' });
});

it('an API key is shown by its name, as actor and as target', async () => {
  const actor = await createApiKey(target, 'admin', { name: 'the night shift' });
  const acted = await client.post('/api/v1/api-keys', actor.raw, {
    name: 'the old player',
    scope: 'playback',
  });
  const id = acted.json.api_key.id;
  const page = await openAudit({ target: id });
  const row = page.getByRole('row', { name: /the night shift/ });
  await row.getByText('the old player').waitFor();
  expect(await row.getByTitle(id, { exact: true }).count()).toBe(1);
});

it('a record shows actor, action, time, client and request, and links to similar records', async () => {
  const viewerId = unique('viewer');
  const [requestId = ''] = await beRefused(viewerId, 2);
  const page = await openAudit({ actor: viewerId });
  await page.getByRole('rowheader').last().getByRole('button').click();
  const dialog = page.getByRole('dialog', { name: 'Audit record' });
  for (const fact of [requestId, viewerId, 'INSUFFICIENT_SCOPE', 'List leases (lease.list)'])
    await dialog.getByText(fact, { exact: true }).waitFor();
  expect(await dialog.textContent()).toMatch(/Client IP[\d.:a-f]+/);
  await inspectPage(page, 'audit-details');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('List leases');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Records of this actor' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('actor')).toBe(viewerId);
});

it('new records, done and refused, are counted and shown on request', async () => {
  const contentId = await registerContent(target);
  const page = await openAudit({ target: contentId }, ({ clock }) => clock.install());
  await change(contentId);
  await page.getByRole('button', { name: '1 new' }).waitFor();
  expect(await rowsOf(page)).toEqual(['Register a content']);
  await page.getByRole('button', { name: '1 new' }).click();
  await expect.poll(() => rowsOf(page)).toEqual(['Change a content', 'Register a content']);
  expect(await page.getByRole('button', { name: /new$/ }).count()).toBe(0);

  const viewerId = unique('viewer');
  await beRefused(viewerId, 1);
  await page.getByLabel('Target ID (exact)').fill('');
  await page.getByLabel('Actor ID (exact)').fill(viewerId);
  await expect.poll(() => rowsOf(page)).toEqual(['List leases']);
  await beRefused(viewerId, 2);
  // Refusals are polled. Their rows are written together, a moment later.
  await passTimeUntil(page, () => page.getByRole('button', { name: '2 new' }).isVisible());
});

it('an empty audit view shows new records at once', async () => {
  const contentId = unique('content');
  const page = await openAudit({ target: contentId });
  await page.getByText('No matching records').waitFor();
  await registerContent(target, contentId);
  await expect.poll(() => rowsOf(page)).toEqual(['Register a content']);
});

it('the audit pages forward and back, and an export has all records', async () => {
  const viewerId = unique('viewer');
  const ids = await beRefused(viewerId, 53);
  const page = await openAudit({ actor: viewerId });
  await page.getByText('50 records on page 1').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('3 records on page 2').waitFor();
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByText('50 records on page 1').waitFor();

  const { name, text } = await save(page, 'JSON Lines');
  expect(name).toMatch(/^latchkey-audit-[\d-]+\.jsonl$/);
  const records = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records.map(({ requestId }) => requestId)).toEqual(ids.reverse());
  await waitForAnnouncement(page, 'Audit saved: ');
});

it('a row that groups refusals of unknown callers shows their number, in the list and in its details', async () => {
  for (let n = 0; n < 12; n++) await client.get('/api/v1/statistics');
  const page = await openAudit({ action: 'statistics.read', outcome: 'refused' });
  const cell = page.getByText(/^refused \d+ times$/).first();
  await cell.waitFor();
  await page.getByRole('row').filter({ has: cell }).getByRole('button').first().click();
  await page
    .getByRole('dialog')
    .getByText(/^\d+ times within a minute$/)
    .waitFor();
});

it('hostile names are shown as text, and are not formulas in the exported CSV', async () => {
  const mark = unique('hostile');
  const viewers = [
    `=HYPERLINK("http://evil.example","${mark}")`,
    `${mark}<script>document.title='owned'</script><img src=x onerror=alert(1)>`,
    `${mark} \u202Egnp.exe\u202C`,
    `${mark}${'🔑'.repeat(50)}`,
    `${mark}${'x'.repeat(150)}`,
  ];
  const from = new Date().toISOString();
  for (const viewer of viewers) await beRefused(viewer, 1);
  const page = await openAudit({ action: 'lease.list', from });
  // A character that turns text around is shown by its code point.
  const shown = viewers.map((viewer) => viewer.replace('\u202E', 'U+202E').replace('\u202C', 'U+202C'));
  for (const viewer of shown) await page.getByText(viewer, { exact: true }).first().waitFor();
  await inspectPage(page, 'audit-hostile');
  for (const row of await page.getByRole('row').all())
    expect((await row.boundingBox())?.height).toBeLessThan(60);
  expect(await page.title()).toBe('Audit · Latchkey');
  const { name, text } = await save(page, 'CSV');
  expect(name).toMatch(/^latchkey-audit-[\d-]+\.csv$/);
  expect(text.split('\r\n')[0]).toBe(
    'id,at,actor_kind,actor_id,action,target,client_ip,request_id,outcome,code,affected,count,details,person',
  );
  expect(text).toContain(`,"'=HYPERLINK(""http://evil.example"",""${mark}"")",`);
  expect(text).not.toMatch(/(^|,|")[=+@-][A-Z]/m);
});

// In Firefox, Playwright holds back what comes from the other URL.
itInChromium('an export runs in the background, can be stopped, and saves nothing if it fails', async () => {
  const page = await openAudit({ target: await registerContent(target) });
  const { url, answers } = await startEndless();
  await page.route('**/audit/export*', (route) => route.continue({ url }));
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'CSV' }).click();
  await page.getByText('Exporting…').waitFor();
  await inspectPage(page, 'audit-exporting');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'CSV' }).click();
  await expect.poll(() => answers.length).toBe(2);
  // The page has received the start of the answer.
  await page.getByText('Exporting… 7 bytes').waitFor();
  for (const answer of answers) answer.destroy();
  await page.getByRole('alert').getByText('The server does not answer').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  expect((await save(page, 'CSV')).text).toContain('content.create');
  await page.getByText('The server does not answer').first().waitFor({ state: 'detached' });
});

it('a record says why and what changed, and its target leads to its page', async () => {
  const id = await registerContent(target);
  await client.call('PATCH', `/api/v1/content/${id}`, { as: adminApiKey, json: { name: 'Second name' } });
  const viewerId = unique('viewer');
  await client.post('/keys/leases/revoke', adminApiKey, { viewerId, reason: 'shared <b>account</b>' });
  const page = await openAudit({ target: `viewer:${viewerId}` });
  await page.getByText('shared <b>account</b>').waitFor();
  await page.getByRole('link', { name: `viewer:${viewerId}` }).click();
  await page.getByRole('heading', { level: 1, name: viewerId }).waitFor();
  const edits = await openAudit({ target: id, action: 'content.update' });
  await edits.getByRole('rowheader').getByRole('button').click();
  await edits.getByRole('dialog').getByText(`${id} → Second name`).waitFor();
});

it('an action is left out by its filter or from a record, the address keeps that, and a click shows it again', async () => {
  const contentId = await registerContent(target);
  await change(contentId);
  const page = await openAudit({ target: contentId });
  await expect.poll(() => rowsOf(page)).toEqual(['Change a content', 'Register a content']);
  await page.getByLabel('Leave out').selectOption('content.update');
  await expect.poll(() => rowsOf(page)).toEqual(['Register a content']);
  await page.reload();
  await expect.poll(() => rowsOf(page)).toEqual(['Register a content']);
  await inspectPage(page, 'audit-without');
  await page.getByRole('button', { name: 'Without: Change a content' }).click();
  await expect.poll(() => rowsOf(page)).toEqual(['Change a content', 'Register a content']);
  await page.getByRole('button', { name: 'Register a content' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave this action out' }).click();
  await expect.poll(() => rowsOf(page)).toEqual(['Change a content']);
  expect(new URL(page.url()).searchParams.get('without')).toBe('content.create');
});

it('each record is one line, and its actor and target lead to their pages', async () => {
  const name = unique('actor');
  const { raw, id } = await createApiKey(target, 'full', { name });
  const contentId = unique(`film-${'long-'.repeat(20)}`);
  await client.post('/api/v1/content', raw, { id: contentId, name: 'A film' });
  const page = await openAudit({ target: contentId });
  const row = page.getByRole('row').filter({ hasText: 'Register a content' });
  expect((await row.boundingBox())?.height).toBeLessThan(60);
  await row.getByRole('link', { name: contentId }).click();
  await page.getByRole('heading', { level: 1, name: 'A film' }).waitFor();
  await page.goBack();
  await row.getByRole('link', { name }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/admin/api-keys/${id}`);
});
