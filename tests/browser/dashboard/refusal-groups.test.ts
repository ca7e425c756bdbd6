import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { askForKey, createLease, makeScene, revokeLeases } from '@latchkey/support/black-box/server-actions';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { startDashboard } from '@latchkey/support/dashboard/open-dashboard';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

const { open, server } = await startDashboard({});
await server.client.post('/api/v1/setup', server.adminApiKey);
const scene = await makeScene(server);
const { viewerId, contentId } = scene;
const leaseId = await createLease(server, scene);
await revokeLeases(server, { leaseId });
for (let n = 0; n < 3; n++) await askForKey(server, scene, leaseId);

const minuteMs = 60_000;

/** A thousand refusals some minutes ago, of requests for keys and for leases, and as many a day ago with another code. */
function writeRefusals(): void {
  const db = new DatabaseSync(join(server.folder, 'latchkey.db'));
  db.exec('PRAGMA busy_timeout = 10000');
  const insert = db.prepare(
    'INSERT INTO usage_counts (span, requests, kind, at, series, served, refused) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const now = Date.now();
  const add = (
    requests: string,
    agoMs: number,
    counts: [kind: string, series: string, served: number, refused: number][],
  ) => {
    for (const span of [60, 600, 3_600])
      for (const [kind, series, served, refused] of counts) {
        const at = now - agoMs;
        insert.run(span, requests, kind, at - (at % (span * 1_000)), series, served, refused);
      }
  };
  db.exec('BEGIN');
  add('keys', 5 * minuteMs, [
    ['total', '', 700, 700],
    ['code', 'LEASE_REVOKED', 0, 600],
    ['code', 'CONTENT_NOT_ENTITLED', 0, 100],
    ['viewer', viewerId, 600, 400],
    ['viewer', 'served alone', 100, 0],
    ['content', contentId, 700, 700],
  ]);
  add('leases', 5 * minuteMs, [
    ['total', '', 0, 300],
    ['code', 'CONTENT_NOT_ENTITLED', 0, 200],
    ['code', 'UNAUTHENTICATED', 0, 100],
    ['viewer', viewerId, 0, 200],
    ['viewer', '<b>bob</b>', 0, 300],
  ]);
  add('keys', 24 * 60 * minuteMs, [
    ['total', '', 0, 9_000],
    ['code', 'LEASE_EXPIRED', 0, 9_000],
  ]);
  db.exec('COMMIT');
  db.close();
}
writeRefusals();

/** The cells of each row, without labels of cards and without the buttons. */
async function rowsOf(page: Page, name: string): Promise<(string | undefined)[][]> {
  const rows = await page.getByRole('table', { name }).getByRole('row').all();
  const cells = rows
    .slice(1)
    .map((row) => row.locator('[role="rowheader"], [role="cell"]:not([data-bare="true"])').allInnerTexts());
  return (await Promise.all(cells)).map((texts) => texts.map((text) => text.split('\n').at(-1)));
}

it('refusals of a time are grouped by code, viewer and content with their share, and a group leads to its rows and to their answer', async () => {
  const page = await open({ path: '/refusals', as: server.adminApiKey });
  const byCode = 'Refused requests by code';
  await page.getByRole('table', { name: byCode }).getByText('LEASE_REVOKED', { exact: true }).waitFor();
  // The refusals of this test itself are counted after their minute.
  expect(await rowsOf(page, byCode)).toEqual([
    ['LEASE_REVOKED', expect.stringMatching(/^60[03]$/), '60 %'],
    ['CONTENT_NOT_ENTITLED', '300', '30 %'],
    ['UNAUTHENTICATED', '100', '10 %'],
  ]);
  await inspectPage(page, 'refusals-groups');
  await page.getByRole('button', { name: '7 days' }).click();
  await page.getByRole('table', { name: byCode }).getByText('LEASE_EXPIRED', { exact: true }).waitFor();
  expect((await rowsOf(page, byCode))[0]).toEqual(['LEASE_EXPIRED', '9,000', '90 %']);
  await page.getByRole('button', { name: '1 hour' }).click();

  await page.getByRole('button', { name: 'By content' }).click();
  const byContent = 'Refused requests by content';
  await page.getByRole('table', { name: byContent }).getByText(contentId, { exact: true }).waitFor();
  expect(await rowsOf(page, byContent)).toEqual([
    [contentId, expect.stringMatching(/^70[03]$/), '70 %', '50 %'],
    ['All others, and not known', '300', '30 %', '–'],
  ]);

  await page.getByRole('button', { name: 'By viewer' }).click();
  const byViewer = 'Refused requests by viewer';
  await page.getByRole('table', { name: byViewer }).getByText('<b>bob</b>', { exact: true }).waitFor();
  expect(await rowsOf(page, byViewer)).toEqual([
    [viewerId, expect.stringMatching(/^60[03]$/), '60 %', '50 %'],
    ['<b>bob</b>', '300', '30 %', '100 %'],
    ['All others, and not known', '100', '10 %', '–'],
  ]);
  await inspectPage(page, 'refusals-viewers');
  await page.getByRole('button', { name: `Rows of ${viewerId}` }).click();
  const latest = page.getByRole('table', { name: 'Latest refusals' });
  await expect.poll(() => latest.getByRole('rowheader').count()).toBe(3);
  expect(new URL(page.url()).searchParams.get('q')).toBe(viewerId);
  await latest
    .getByRole('button', { name: /^Explain/ })
    .first()
    .click();
  await page.getByText(`${viewerId} gets no key of ${contentId}: its lease was revoked`).waitFor();
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({ by: 'viewer', q: viewerId });

  await page.getByRole('button', { name: 'Rows of <b>bob</b>' }).click();
  await page.getByText('No matching refusals').waitFor();
  await page.getByText('not in memory any more are only counted').waitFor();
});
