import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { startDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { expect, it } from 'vitest';

const { open, server } = await startDashboard({ RATE_LIMIT: 'on' });
await server.client.post('/api/v1/setup', server.adminApiKey);

it('with RATE_LIMIT=on four windows and an admin who opens each page four times are never refused', async () => {
  const refused: string[] = [];
  const pages = [];
  for (const path of ['/', '/leases', '/refusals', '/audit']) {
    const page = await open({ path, as: server.adminApiKey });
    page.on('response', (answer) => {
      if (answer.status() === 429) refused.push(answer.url());
    });
    pages.push(page);
  }
  const [page] = pages as [(typeof pages)[number]];
  const names = await page.getByRole('navigation').getByRole('link').allInnerTexts();
  let reads = 0;
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/')) reads++;
  });
  for (const name of [...names, ...names, ...names, ...names]) {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
  }
  // More than the API allows for an address.
  expect(reads).toBeGreaterThan(30);
  expect(refused).toEqual([]);
});

it('after a 429 the rows stay, nothing is read during the countdown, and then the search is repeated by itself', async () => {
  const page = await open({
    path: '/api-keys',
    as: server.adminApiKey,
    prepare: ({ clock }) => clock.install(),
    isAlone: true,
  });
  const row = page.getByRole('rowheader', { name: 'admin' });
  await row.waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  const searches: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/api/v1/api-keys' && searchParams.has('q'))
      searches.push(String(searchParams.get('q')));
  });
  // From here on the test moves the page's clock. By then the page has read again what it reads when the stream opens.
  const stillAt = (await page.evaluate('Date.now()')) as number;
  await page.clock.pauseAt(stillAt + 15_000);

  let retryAfterSeconds = 2;
  let isRefusing = true;
  await page.route('**/api/v1/api-keys?*', (route) =>
    isRefusing
      ? route.fulfill({
          status: 429,
          contentType: 'application/problem+json',
          headers: { 'retry-after': String(retryAfterSeconds) },
          body: JSON.stringify({ code: 'RATE_LIMITED', detail: 'This takes 30 requests in 60 seconds.' }),
        })
      : route.continue(),
  );
  await page.getByRole('searchbox').fill('nobody');
  await page.clock.runFor(300);
  const banner = page.getByText('Too many requests.');
  await banner.waitFor();
  isRefusing = false;
  expect(await row.isVisible()).toBe(true);
  await page.getByText(' in 2 s').waitFor();
  // The page sends no request during the countdown.
  await page.getByRole('button', { name: 'Never expires' }).click();
  await page.clock.runFor(1_000);
  await page.getByText(' in 1 s').waitFor();
  expect(searches).toEqual(['nobody']);
  await page.clock.resume();
  await page.getByText('No matching keys').waitFor();
  expect(searches).toEqual(['nobody', 'nobody']);
  await banner.waitFor({ state: 'detached' });

  isRefusing = true;
  retryAfterSeconds = 600;
  await page.getByRole('searchbox').fill('somebody');
  await banner.waitFor();
  await inspectPage(page, 'rate-limited');
});
