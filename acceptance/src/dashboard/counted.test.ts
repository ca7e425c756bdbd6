import { expect, it } from 'vitest';
import { inspectPage } from './inspect-page.ts';
import { signIn, startDashboard } from './open-dashboard.ts';

const { open, server } = await startDashboard({ RATE_LIMIT: 'on' });
await server.client.post('/api/v1/setup', server.adminApiKey);

it('with rate limits a typed word is one search, and a 429 keeps the rows until the automatic retry', async () => {
  const page = await open({ path: '/api-keys' });
  await page.clock.install();
  await page.reload();
  await signIn(page, server.adminApiKey);
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
  for (const letter of 'adm') {
    await page.getByRole('searchbox').press(letter);
    await page.clock.runFor(200);
  }
  expect(searches).toEqual([]);
  await page.clock.runFor(100);
  await expect.poll(() => searches).toEqual(['adm']);
  await row.waitFor();

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
  expect(searches).toEqual(['adm', 'nobody']);
  await page.clock.resume();
  await page.getByText('No matching keys').waitFor();
  expect(searches).toEqual(['adm', 'nobody', 'nobody']);
  await banner.waitFor({ state: 'detached' });

  isRefusing = true;
  retryAfterSeconds = 600;
  await page.getByRole('searchbox').fill('somebody');
  await banner.waitFor();
  await inspectPage(page, 'rate-limited');
});
