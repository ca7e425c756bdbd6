import { createApiKey, registerContent, revokeLeases } from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { startDashboard } from '@latchkey/support/dashboard/open-dashboard';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { writeLoad } from './usage-load.ts';

const grafana = 'https://grafana.example/d/latchkey?var-instance=all';
const { open, server } = await startDashboard({ GRAFANA_URL: grafana });
await server.client.post('/api/v1/setup', server.adminApiKey);
const key = await createApiKey(server, 'playback');
const contentId = await registerContent(server);
const long = `S02E04_The_Long_Way_Home_1080p_HDR_DolbyVision_Atmos_final_${unique('v3')}`;

const minuteMs = 60_000;
const hourMs = 3_600_000;

writeLoad(server.folder, { contentId, other: long, apiKeyId: key.id });

const usage = (query = '') => open({ path: `/usage${query}`, as: server.adminApiKey });
/** An hour in which every minute has the load. */
const hour = new URLSearchParams({
  from: new Date(Date.now() - 65 * minuteMs).toISOString(),
  to: new Date(Date.now() - 5 * minuteMs).toISOString(),
});
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
    await page.getByRole('figure', { name: /^Served, each minute/ }).waitFor();
    await page.getByText('1,790 requests in this time: 1,611 served, 179 refused (10 %).').waitFor();
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
    await table.getByRole('button', { name: 'Show only ada' }).click();
    await page.getByRole('button', { name: 'Show all', exact: true }).waitFor();
    await settled(page);
    expect(new URL(page.url()).searchParams.get('id')).toBe('ada');
    expect((await rows()).map(([name]) => name)).toEqual(['ada', 'All others']);
    await page.getByRole('link', { name: 'ada', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'ada' }).waitFor();
    await page.getByRole('heading', { name: 'Key requests', exact: true }).waitFor();
    await page.getByText('716 requests in this time').waitFor();
    await page.getByRole('figure').first().waitFor();
    await inspectPage(page, 'usage-card');
  });

  it('one cursor shows the same minute in every chart, by the pointer and by the arrow keys', async () => {
    const page = await usage('?range=1h&by=content');
    await page.getByRole('figure').nth(3).waitFor();
    expect(await sliders(page).count()).toBe(4);
    // The latest complete minute may have begun more than two minutes ago.
    expect(await page.locator('figure li strong').allInnerTexts()).not.toContain('–');
    await sliders(page)
      .nth(1)
      .hover({ position: { x: 300, y: 40 } });
    const shown = () => page.locator('figcaption > small').allInnerTexts();
    const times = await shown();
    expect(new Set(times).size).toBe(1);
    expect(times[0]).toMatch(/^\d\d:\d\d$/);
    await page.mouse.move(0, 0);
    await expect.poll(shown).toEqual(Array(4).fill(expect.stringMatching(/^latest, \d\d:\d\d$/)));
    await sliders(page).first().focus();
    await page.keyboard.press('End');
    for (let n = 0; n < 5; n++) await page.keyboard.press('ArrowLeft');
    const texts = await valueTexts(page);
    expect(texts[0]).toMatch(/^\d\d:\d\d, Served 9$/);
    expect(texts[1]).toMatch(/^\d\d:\d\d, Refused 1$/);
    expect(new Set(texts.map((text) => text?.slice(0, 5))).size).toBe(1);
    expect(texts[3]).toMatch(/ 1$/);
    const before = texts[0]?.slice(0, 5);
    await page.keyboard.press('ArrowLeft');
    expect((await valueTexts(page))[3]?.slice(0, 5)).not.toBe(before);
    await page.keyboard.press('Escape');
    await expect.poll(shown).toEqual(Array(4).fill(expect.stringMatching(/^latest, /)));
  });

  it('refusals are shown as a share of the requests of their series, and of all requests by code', async () => {
    const page = await usage(`?${hour}`);
    await page.getByRole('button', { name: 'Share refused' }).click();
    await page.getByRole('figure', { name: 'Share refused, each minute' }).waitFor();
    await page.getByRole('figure', { name: 'Refusals by code, of all requests, each minute' }).waitFor();
    expect(await valueTexts(page)).toEqual([
      expect.stringMatching(/Served 9$/),
      expect.stringMatching(/Share refused 10 %$/),
      expect.stringMatching(/CONTENT_NOT_ENTITLED \d+ %, LEASE_REVOKED \d+ %$/),
    ]);
    expect(new URL(page.url()).searchParams.get('refused')).toBe('share');
    await page.getByRole('button', { name: 'By content' }).click();
    await page.getByRole('figure', { name: 'Share refused by content, each minute' }).waitFor();
    await settled(page);
    expect((await valueTexts(page)).at(-1)).toMatch(/ 14 %$/);
  });

  it('a line of a chart is hidden, shown alone and shown again, and the others keep their values', async () => {
    const page = await usage(`?by=content&${hour}`);
    const chart = page.getByRole('figure', { name: /^By content/ });
    const text = () => chart.getByRole('slider').getAttribute('aria-valuetext');
    await chart.getByRole('button', { name: long, exact: true }).click();
    await expect.poll(text).toMatch(/^\d\d:\d\d, .* 7$/);
    expect(await chart.getByRole('button', { name: long, exact: true }).getAttribute('aria-pressed')).toBe(
      'false',
    );
    await chart.getByRole('button', { name: long, exact: true }).click();
    await expect.poll(text).toMatch(/ 7, .* 3$/);
    await page.getByRole('button', { name: 'By viewer' }).click();
    const viewers = page.getByRole('figure', { name: /^By viewer/ });
    const viewerText = () => viewers.getByRole('slider').getAttribute('aria-valuetext');
    await viewers.getByRole('button', { name: 'Show only ada' }).click();
    await expect.poll(viewerText).toMatch(/^\d\d:\d\d, ada 4$/);
    await inspectPage(page, 'usage-alone');
    await viewers.getByRole('button', { name: 'Show all lines' }).click();
    await expect.poll(viewerText).toMatch(/viewer-0 1/);
  });

  it('an own range is typed, a range that the server refuses is named, and the address keeps it', async () => {
    const page = await usage('?range=6h');
    await page.getByRole('button', { name: 'Own range' }).click();
    const from = page.getByLabel('From', { exact: true });
    const until = page.getByLabel('Until', { exact: true });
    await from.fill('2026-01-01T10:00');
    await page.getByText('A range has 15 minutes to 30 days.').waitFor();
    await until.fill('2026-01-01T12:30');
    await page.getByText('A range has 15 minutes to 30 days.').waitFor({ state: 'detached' });
    expect(spanOf(page)).toBe(150 * minuteMs);
    expect(await from.inputValue()).toBe('2026-01-01T10:00');
    await settled(page);
    await inspectPage(page, 'usage-own-range');
    await page.getByRole('button', { name: 'Own range' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('range')).toBe('6h');
  });

  it('a revocation is marked on the charts at its time, and leads to its record in the audit', async () => {
    const viewerId = unique('marked');
    const page = await usage('?range=1h');
    await sliders(page).first().waitFor();
    await revokeLeases(server, { viewerId });
    const link = page.getByRole('link', { name: `Revoke leases, viewer:${viewerId}` });
    await link.waitFor();
    await sliders(page).first().focus();
    await page.keyboard.press('End');
    await expect.poll(async () => (await valueTexts(page))[0]).toContain(`Revoke leases, viewer:${viewerId}`);
    await page
      .getByText(/started and read its settings$/)
      .first()
      .waitFor();
    await inspectPage(page, 'usage-changes');
    await link.click();
    await page.getByRole('rowheader', { name: /Revoke leases/ }).waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(1);
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
      await page.getByRole('figure', { name: /^Served/ }).waitFor();
    }
    await page.getByText('As a table').first().click();
    await page.getByRole('region', { name: /^Served.*as a table$/ }).waitFor();
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
      return { text, strokes: [...new Set(strokes)].filter((each) => each !== 'none'), cursor: getComputedStyle(cursor).borderLeftColor };
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
    await page.getByText('No refusal').first().waitFor();
    await inspectPage(page, 'usage-empty');
  });
});
