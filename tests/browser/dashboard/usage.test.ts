import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createApiKey, registerContent } from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { startDashboard } from '@latchkey/support/dashboard/open-dashboard';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

const grafana = 'https://grafana.example/d/latchkey?var-instance=all';
const { open, server } = await startDashboard({ GRAFANA_URL: grafana });
await server.client.post('/api/v1/setup', server.adminApiKey);
const key = await createApiKey(server, 'playback');
const contentId = await registerContent(server);
const long = `S02E04_The_Long_Way_Home_1080p_HDR_DolbyVision_Atmos_final_${unique('v3')}`;

const minuteMs = 60_000;
const hourMs = 3_600_000;
const minutes = 180;

/** Three hours of a known load: 10 requests a minute, one of them refused, by 12 viewers on two contents. */
function writeLoad(): void {
  const db = new DatabaseSync(join(server.folder, 'latchkey.db'));
  db.exec('PRAGMA busy_timeout = 10000');
  const insert = db.prepare(`INSERT INTO usage_counts (span, requests, kind, at, series, served, refused)
    VALUES (?, 'keys', ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET served = served + excluded.served, refused = refused + excluded.refused`);
  const present = Date.now() - (Date.now() % minuteMs);
  db.exec('BEGIN');
  for (let ago = minutes; ago >= 2; ago--) {
    const minute = present - ago * minuteMs;
    for (const span of [60, 600, 3_600]) {
      const at = minute - (minute % (span * 1_000));
      const add = (kind: string, series: string, served: number, refused: number) =>
        insert.run(span, kind, at, series, served, refused);
      add('total', '', 9, 1);
      add('code', ago % 3 === 0 ? 'LEASE_REVOKED' : 'CONTENT_NOT_ENTITLED', 0, 1);
      add('content', contentId, 6, 1);
      add('content', long, 3, 0);
      for (let n = 0; n < 9; n++) add('viewer', `viewer-${n}`, n === 0 ? 1 : 0, n === 8 ? 1 : 0);
      add('viewer', 'ada', 4, 0);
      add('viewer', '', 4, 0);
      add('api-key', key.id, 2, 0);
    }
  }
  db.exec('COMMIT');
  db.close();
}
writeLoad();

const usage = (query = '') => open({ path: `/usage${query}`, as: server.adminApiKey });
const sliders = (page: Page) => page.getByRole('slider');
const valueTexts = async (page: Page) =>
  Promise.all((await sliders(page).all()).map((slider) => slider.getAttribute('aria-valuetext')));
const spanOf = (page: Page) => {
  const { searchParams } = new URL(page.url());
  return Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '');
};
const settled = (page: Page) => expect.poll(() => page.locator('[data-updating]').count()).toBe(0);

describe('the page of usage', () => {
  it('a known load is shown as it was, by code, content, viewer and API key', async () => {
    const page = await usage('?range=6h');
    await page.getByRole('figure', { name: /^All requests, each minute/ }).waitFor();
    const table = page.getByRole('table', { name: /^Requests by/ });
    const rowsOf = async () =>
      (await table.getByRole('row').all())
        .slice(1)
        .map((row) =>
          row.locator('[role="rowheader"], [role="cell"]:not([data-bare="true"])').allInnerTexts(),
        );
    const rows = async () =>
      (await Promise.all(await rowsOf())).map((cells) => cells.map((text) => text.split('\n').at(-1)));
    expect(await rows()).toEqual([
      ['CONTENT_NOT_ENTITLED', '119'],
      ['LEASE_REVOKED', '60'],
    ]);
    await page.getByRole('button', { name: 'By content' }).click();
    await page.getByRole('table', { name: 'Requests by Content' }).waitFor();
    await page.getByRole('figure', { name: /^By content, each minute/ }).waitFor();
    expect(await rows()).toEqual([
      [expect.any(String), '1,074', '179', '14 %'],
      [long, '537', '0', '0 %'],
    ]);
    await page.getByRole('button', { name: 'By API key' }).click();
    await page.getByRole('table', { name: 'Requests by API key' }).waitFor();
    expect((await rows())[0]?.slice(1)).toEqual(['358', '0', '0 %']);
    expect((await rows())[0]?.[0]).toMatch(/^playback-.* \(lk_.*…\)$/);
    await page.getByRole('button', { name: 'By viewer' }).click();
    await page.getByRole('table', { name: 'Requests by Viewer' }).waitFor();
    const viewers = await rows();
    expect(viewers[0]).toEqual(['ada', '716', '0', '0 %']);
    expect(viewers.at(-1)?.[0]).toBe('All others');
    await inspectPage(page, 'usage-viewers');
    await page.getByRole('button', { name: 'Show only ada' }).click();
    await page.getByRole('button', { name: 'Show all' }).waitFor();
    await settled(page);
    expect(new URL(page.url()).searchParams.get('id')).toBe('ada');
    expect((await rows()).map(([name]) => name)).toEqual(['ada', 'All others']);
    await page.getByRole('link', { name: 'ada', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'ada' }).waitFor();
    await page.getByRole('heading', { name: 'Key requests of the last day' }).waitFor();
    await page.getByRole('figure').first().waitFor();
    await inspectPage(page, 'usage-card');
  });

  it('one cursor shows the same minute in every chart, by the pointer and by the arrow keys', async () => {
    const page = await usage('?range=1h&by=content');
    await page.getByRole('figure').nth(2).waitFor();
    expect(await sliders(page).count()).toBe(3);
    // The latest complete minute may have begun more than two minutes ago.
    expect(await page.locator('figure li strong').allInnerTexts()).not.toContain('–');
    await sliders(page)
      .nth(1)
      .hover({ position: { x: 300, y: 40 } });
    const shown = () => page.locator('figcaption > span').allInnerTexts();
    const times = await shown();
    expect(new Set(times).size).toBe(1);
    expect(times[0]).toMatch(/^\d\d:\d\d$/);
    await page.mouse.move(0, 0);
    await expect.poll(shown).toEqual(['latest', 'latest', 'latest']);
    await sliders(page).first().focus();
    await page.keyboard.press('End');
    for (let n = 0; n < 5; n++) await page.keyboard.press('ArrowLeft');
    const texts = await valueTexts(page);
    expect(texts[0]).toMatch(/^\d\d:\d\d, Served 9, Refused 1$/);
    expect(new Set(texts.map((text) => text?.slice(0, 5))).size).toBe(1);
    expect(texts[2]).toMatch(/ 1$/);
    const before = texts[0]?.slice(0, 5);
    await page.keyboard.press('ArrowLeft');
    expect((await valueTexts(page))[2]?.slice(0, 5)).not.toBe(before);
    await page.keyboard.press('Escape');
    await expect.poll(shown).toEqual(['latest', 'latest', 'latest']);
  });

  it('dragging over a chart zooms into that range, the address keeps it, and buttons lead back', async () => {
    const page = await usage('?range=6h');
    const slider = sliders(page).first();
    const box = await slider.boundingBox();
    if (!box) throw new Error('no chart');
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.5, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, y, { steps: 4 });
    await page.mouse.move(box.x + box.width * 0.75, y, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => spanOf(page)).toBeGreaterThan(80 * minuteMs);
    expect(spanOf(page)).toBeLessThan(100 * minuteMs);
    await settled(page);
    const zoomed = page.url();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(() => page.url()).not.toBe(zoomed);
    expect(spanOf(page)).toBeLessThan(50 * minuteMs);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await expect.poll(() => spanOf(page)).toBeGreaterThan(80 * minuteMs);
    const { searchParams: middle } = new URL(page.url());
    await page.getByRole('button', { name: 'Earlier' }).click();
    await expect
      .poll(() => Date.parse(new URL(page.url()).searchParams.get('from') ?? ''))
      .toBeLessThan(Date.parse(middle.get('from') ?? ''));
    const earlier = page.url();
    await page.reload();
    await sliders(page).first().waitFor();
    expect(page.url()).toBe(earlier);
  });

  it('dragging to another range and Escape leaves the range as it was', async () => {
    const page = await usage('?range=6h');
    const slider = sliders(page).first();
    await slider.focus();
    const box = await slider.boundingBox();
    if (!box) throw new Error('no chart');
    await page.mouse.move(box.x + 200, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + 400, box.y + 50, { steps: 4 });
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect(new URL(page.url()).searchParams.has('from')).toBe(false);
  });

  it('each range fits the screen, is accessible, and shows the same total', async () => {
    const page = await usage();
    for (const [label, total] of [
      ['6 hours', 1_790],
      ['24 hours', 1_790],
      ['7 days', 1_790],
      ['30 days', 1_790],
    ] as const) {
      await page.getByRole('button', { name: label, exact: true }).click();
      await settled(page);
      const answer = await server.client.get(
        `/api/v1/usage?from=${new Date(Date.now() - 6 * hourMs).toISOString()}`,
        server.adminApiKey,
      );
      expect(answer.json.usage.totals.served + answer.json.usage.totals.refused).toBe(total);
      await page.getByRole('figure', { name: /^All requests/ }).waitFor();
    }
    await page.getByText('As a table').first().click();
    await page.getByRole('region', { name: /^All requests.*as a table$/ }).waitFor();
    await inspectPage(page, 'usage-30-days');
  });

  it('in forced colours the lines and the cursor of a chart have the colour of text', async () => {
    const page = await usage('?range=6h');
    await page.emulateMedia({ forcedColors: 'active' });
    await sliders(page).first().focus();
    await page.keyboard.press('End');
    const colours = await page.evaluate(`(() => {
      const text = getComputedStyle(document.body).color;
      const strokes = [...document.querySelectorAll('figure svg path')].map((path) => getComputedStyle(path).stroke);
      const cursor = [...document.querySelectorAll('figure [role="img"] > span')].at(-1);
      return { text, strokes: [...new Set(strokes)].filter((each) => each !== 'none'), cursor: getComputedStyle(cursor).backgroundColor };
    })()`);
    expect(colours).toMatchObject({
      strokes: [(colours as { text: string }).text],
      cursor: (colours as { text: string }).text,
    });
    await inspectPage(page, 'usage-forced-colours');
  });

  it('a link leads to Grafana with the range that is shown', async () => {
    const page = await usage('?range=6h');
    const link = page.getByRole('link', { name: 'Open in Grafana' });
    const { origin, searchParams } = new URL((await link.getAttribute('href')) ?? '');
    expect([origin, searchParams.get('var-instance')]).toEqual(['https://grafana.example', 'all']);
    expect(Number(searchParams.get('to')) - Number(searchParams.get('from'))).toBe(6 * hourMs);
  });

  it('lease requests without any show empty charts', async () => {
    const page = await usage();
    await page.getByRole('button', { name: 'Lease requests' }).click();
    await page.getByText('No refusal').waitFor();
    await inspectPage(page, 'usage-empty');
  });
});
