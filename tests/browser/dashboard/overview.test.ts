import {
  askForKey,
  createApiKey,
  createLease,
  makeScene,
  playerReport,
  registerContent,
  revokeApiKey,
  revokeLeases,
  type Scene,
} from '@latchkey/support/black-box/server-actions';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard, signIn, startDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { viewerToken } from '@latchkey/support/tokens';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { passTimeUntil } from './pass-time.ts';
import { openRestartableDashboard, untilFetchedAhead } from './restartable-server.ts';

/** No other file uses this server: its figures and newest changes come from these tests alone. */
const own = await startDashboard({ TRUST_PROXY: 'true' });
await own.server.client.post('/api/v1/setup', own.server.adminApiKey);
const shared = await openDashboard();
const mortal = await openRestartableDashboard();

/** The text of a figure, by its name. */
async function figureOf(page: Page, name: string): Promise<string> {
  return (await page.getByRole('term').filter({ hasText: name }).locator('xpath=..').textContent()) ?? '';
}

it('a fresh server explains the overview and the first step, and shows figures once there is content', async () => {
  const { open, server } = own;
  const page = await open({ as: server.adminApiKey });
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByText('Nothing to measure yet').waitFor();
  await page.getByRole('list').getByText('Every proxy is trusted').waitFor();
  expect(await page.getByRole('img').count()).toBe(0);
  await inspectPage(page, 'overview-fresh');
  await page.getByText('Live', { exact: true }).waitFor();
  await registerContent(server);
  await page.getByText('Nothing to measure yet').waitFor({ state: 'detached' });
  await expect.poll(() => page.getByRole('img').count()).toBe(6);
  await expect.poll(() => figureOf(page, 'Active leases')).toContain('0');
});

it('with four windows open the figures match the traffic: key requests, refusals, leases and player reports', async () => {
  const { open, server } = own;
  const scene = await makeScene(server);
  const token = viewerToken(server.jwtSecret, scene.viewerId);
  // The windows read all the time. None of that may thin out the share of refusals.
  const windows = [];
  for (let n = 0; n < 4; n++)
    windows.push(
      await open({ as: server.adminApiKey, prepare: ({ clock }) => clock.install(), isAlone: true }),
    );
  for (let n = 0; n < 108; n++) await askForKey(server, scene);
  for (let n = 0; n < 12; n++) await server.client.get(`/keys/${scene.contentId}`);
  await server.client.post('/api/v1/player-metrics', token, playerReport);
  for (const each of windows) {
    await passTimeUntil(each, async () =>
      (await figureOf(each, 'Key requests')).includes('120 in the last hour'),
    );
    expect(await figureOf(each, 'Refused, 4xx')).toContain('10 %');
  }

  const page = await open({ as: server.adminApiKey });
  await expect.poll(() => figureOf(page, 'Key requests')).toContain('120 in the last hour');
  expect(await figureOf(page, 'Key request, p95')).toMatch(/\d m?s.*p50 [\d.]+ m?s/);
  expect(await figureOf(page, 'Failed, 5xx')).toContain('0 %');
  expect(await figureOf(page, 'Refused, 4xx')).toContain('too high');
  expect(await figureOf(page, 'First frame, p95')).toMatch(/1\.[45]\d* s.*3 stalls per playback · 1 report/);
  await page
    .getByText(/% of key and lease requests were refused in the last hour/)
    .first()
    .waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await createLease(server, scene);
  await expect.poll(() => figureOf(page, 'Active leases')).toMatch(/leases1now/);

  const chart = page.getByRole('figure', { name: 'Key request duration' });
  expect(await chart.getByRole('img').getAttribute('aria-label')).toMatch(
    /p50: from .* p95: .* target 100 ms\. alert 500 ms\./,
  );
  await chart.getByText('As a table').click();
  await expect.poll(() => chart.getByRole('row').count()).toBeGreaterThan(1);
  await inspectPage(page, 'overview');
});

it('the time picker shows a part of the last hour in every chart, and kept key requests before it', async () => {
  const { open, server } = own;
  const page = await open({ as: server.adminApiKey });
  await page.getByRole('button', { name: '15 minutes' }).click();
  await expect.poll(() => page.getByRole('figure').count()).toBe(6);
  const slider = page.getByRole('slider', { name: 'Time in Key requests', exact: true });
  const widthMs = async () =>
    Number(await slider.getAttribute('aria-valuemax')) - Number(await slider.getAttribute('aria-valuemin'));
  await expect.poll(widthMs).toBe(15 * 60_000);
  await page.getByRole('button', { name: '24 hours' }).click();
  await page.getByText(/requests? in this time: [\d,]+ served/).waitFor();
  await page.getByText('durations, failures and players are kept for an hour').waitFor();
  expect(new URL(page.url()).searchParams.get('range')).toBe('24h');
  await inspectPage(page, 'overview-24-hours');
  await page.getByRole('button', { name: '1 hour' }).click();
  await expect.poll(() => page.getByRole('figure').count()).toBe(6);
});

it('a revocation appears at once, with the delay of every replica', async () => {
  const { open, server: target } = own;
  const scene = await makeScene(target);
  await createLease(target, scene);
  const page = await open({ as: target.adminApiKey });
  await page.getByText('Live', { exact: true }).waitFor();
  await revokeLeases(target, { viewerId: scene.viewerId });
  const row = page.getByRole('row', { name: scene.viewerId });
  await row.waitFor();
  await expect
    .poll(() => row.getByRole('cell').allTextContents())
    .toEqual([
      expect.stringMatching(/just now|minutes? ago/),
      expect.stringMatching(/\d m?s$/),
      expect.stringMatching(/ [\d.]+ m?s/),
    ]);
  await row.getByRole('link', { name: scene.viewerId }).click();
  await page.getByRole('heading', { name: 'Leases' }).waitFor();
});

it('an ended player is counted, and pushes no revocation of an admin off the list', async () => {
  const { open, server: target } = own;
  const [revoked, ...scenes] = await Promise.all(Array.from({ length: 61 }, () => makeScene(target)));
  const viewerId = revoked?.viewerId ?? '';
  await revokeLeases(target, { viewerId });
  // More than the server lists, and more than the page shows.
  const endPlayer = async (scene: Scene) => {
    const leaseId = await createLease(target, scene);
    const { status } = await target.client.post('/keys/leases/revoke', scene.token, { leaseId });
    expect(status).toBe(200);
  };
  await Promise.all(scenes.map(endPlayer));
  const page = await open({ as: target.adminApiKey });
  await page.getByRole('row', { name: viewerId }).waitFor();
  await page.getByText(/(6[0-9]|[7-9][0-9]|\d{3,}) returned in the last hour/).waitFor();
  expect(await page.getByText('One lease was revoked').count()).toBe(0);
});

it('a change of a key or content is described by its action, and links to its target', async () => {
  const { open, server: target } = own;
  const { id } = await createApiKey(target, 'playback', { name: 'the old player' });
  await revokeApiKey(target, id);
  const page = await open({ as: target.adminApiKey });
  const row = page.getByRole('row', { name: /An API key was revoked the old player/ });
  await row.waitFor();
  await row.getByRole('link', { name: /the old player/ }).click();
  await page.getByRole('rowheader', { name: /the old player/ }).waitFor();
});

it('the overview shows the dependencies, and recommendations for the configuration', async () => {
  const { open, server } = own;
  await createApiKey(server, 'playback');
  const page = await open({ as: server.adminApiKey });
  const health = page.getByRole('region', { name: 'Health' });
  await health.getByText('The database').waitFor();
  expect(await health.getByText('down', { exact: true }).count()).toBe(0);
  const notes = page.getByRole('region', { name: 'Recommendations' });
  await notes.getByText('Rate limiting is off').waitFor();
  await notes.getByRole('link', { name: 'Show these keys' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  await expect.poll(() => new URL(page.url()).search).toBe('?filter=never-expires');
});

it('a lost server is reported while the figures stay, and both recover once it is back', async () => {
  const server = await mortal.start();
  const { url, adminApiKey } = server;
  await fetch(`${url}/api/v1/content`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminApiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'film' }),
  });
  // A slow change is a problem for minutes. After a restart, earlier changes are unknown.
  await server.kill();
  await server.restart();
  const page = await mortal.open({ as: adminApiKey });
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('term').first().waitFor();
  await page.getByText('All clear.').waitFor();
  await untilFetchedAhead(page);
  await server.kill();
  await page.getByText('Reconnecting…').waitFor();
  await page.getByText('The server does not answer.', { exact: true }).waitFor();
  expect(await page.getByRole('term').count()).toBe(6);
  await page.getByText('No problems when the server last answered.').waitFor();
  await inspectPage(page, 'overview-gone');
  await server.restart();
  await page.getByText('The server does not answer').waitFor({ state: 'detached' });
  await page.getByText('All clear.').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
});

it('a key without management permissions is not offered the overview', async () => {
  const { open, target } = shared;
  const { raw } = await createApiKey(target, 'upload');
  const page = await open({ as: raw });
  await page.getByRole('heading', { name: 'Your key' }).waitFor();
  expect(await page.getByRole('link', { name: 'Overview' }).count()).toBe(0);
});

it('the charts are loaded with the overview only, and are small', async () => {
  const { open, server } = own;
  const page = await open({ path: '/account' });
  const scripts = async () =>
    (await page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => /overview-.*js$/.test(name))
        .map(({ encodedBodySize }) => encodedBodySize)`,
    )) as number[];
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await scripts()).toEqual([]);
  await signIn(page, server.adminApiKey);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('img').first().waitFor();
  const largest = async () => Math.max(0, ...(await scripts()));
  await expect.poll(largest).toBeGreaterThan(0);
  expect(await largest()).toBeLessThan(20 * 1024);
});

it('the overview works by keyboard', async () => {
  const { open, server } = own;
  const page = await open({ as: server.adminApiKey });
  await page.getByRole('img').first().waitFor();
  const summary = page.getByText('As a table: Key requests');
  await summary.focus();
  await page.keyboard.press('Enter');
  const table = page.getByRole('region', { name: 'Key requests, as a table' });
  await table.waitFor();
  await page.keyboard.press('Tab');
  const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
  await expect.poll(focused).toBe('Key requests, as a table');
});
