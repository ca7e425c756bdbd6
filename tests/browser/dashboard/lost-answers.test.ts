import { createLease, makeScene } from '@latchkey/support/black-box/server-actions';
import { makeApiKey } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard, startDashboard } from '@latchkey/support/dashboard/open-dashboard';
import type { Page, Response } from 'playwright-core';
import { expect, it } from 'vitest';
import { passTimeUntil } from './pass-time.ts';
import { openRestartableDashboard } from './restartable-server.ts';

// Each is claimed once.
const [unclaimed, clicked] = await Promise.all([
  startDashboard({ ADMIN_API_KEY: undefined }),
  startDashboard({ ADMIN_API_KEY: undefined }),
]);
const claimed = await openDashboard();
const mortal = await openRestartableDashboard();

const claimButton = { name: 'Claim this server' };

async function storeKey(page: Page, action: string): Promise<void> {
  await page.getByLabel(/I have stored this key/).check();
  await page.getByRole('button', { name: action }).click();
}

async function beginKey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
}

it('a claim with a lost answer leads to instructions, not to a sign-in page without a key', async () => {
  const page = await unclaimed.open();
  await page.route('**/api/v1/setup', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    // Firefox does not show what the page sends.
    await route.fetch({ postData: {} });
    return route.abort('connectionreset');
  });
  await page.getByRole('button', claimButton).click();
  await page.getByRole('heading', { name: 'This server has been claimed' }).waitFor();
  await page.getByText('npx latchkey api-keys create --name rescue').waitFor();
  await page.getByRole('button', { name: 'Sign in with a key' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

it('the wizard continues at its step after the server was killed and restarted', async () => {
  const server = await mortal.start({ isClaimed: false });
  const page = await mortal.open();
  await page.getByRole('button', claimButton).click();
  await storeKey(page, 'Continue');
  await server.kill();
  await page.getByRole('button', { name: 'Register the content' }).click();
  await page.getByText(/It may or may not have been done/).waitFor();
  const banner = page.getByText('The server does not answer.', { exact: true });
  await banner.waitFor();
  const isSetup = (response: Response) => response.url().endsWith('/api/v1/setup');
  await Promise.all([page.waitForResponse(isSetup, { timeout: 90_000 }), server.restart()]);
  await banner.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Register the content' }).click();
  await page.getByRole('heading', { name: 'Fetch its key' }).waitFor();
});

it('a double click claims once', async () => {
  const page = await clicked.open();
  let claims = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST') claims += 1;
  });
  await page.getByRole('button', claimButton).dblclick();
  await page.getByTestId('raw-key').waitFor();
  expect(claims).toBe(1);
});

it('a new key stays visible after going back, and leaving the page asks for confirmation, until it is stored', async () => {
  const name = unique('kept');
  const page = await claimed.open({ path: '/account', as: claimed.target.adminApiKey });
  await page.getByRole('link', { name: 'API keys' }).click();
  await beginKey(page, name);
  await page.getByRole('button', { name: 'Create the key' }).dblclick();
  const rawKey = await page.getByTestId('raw-key').textContent();
  await page.goBack();
  await expect.poll(() => new URL(page.url()).pathname).toBe('/admin/account');
  expect(await page.getByTestId('raw-key').textContent()).toBe(rawKey);
  const asked = page.waitForEvent('dialog');
  const left = page.evaluate('location.reload()').catch(() => {});
  const question = await asked;
  expect(question.type()).toBe('beforeunload');
  await question.dismiss();
  await left;
  expect(await page.getByTestId('raw-key').textContent()).toBe(rawKey);
  await storeKey(page, 'Done');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // The double click created one key.
  const { json } = await claimed.target.client.get(`/api/v1/api-keys?q=${name}`, claimed.target.adminApiKey);
  expect(json.api_keys).toHaveLength(1);
  // The key is stored, so the browser no longer asks for confirmation.
  await page.reload();
  await page.getByRole('heading', { name: 'Your key' }).waitFor();
});

it('an action with an unreadable answer, or one from a proxy, is described as possibly done, or with a retry time', async () => {
  const page = await claimed.open({ path: '/api-keys', as: claimed.target.adminApiKey });
  const answers = [
    { status: 200, contentType: 'text/html', body: '<html>Sign in to the network</html>' },
    { status: 429, headers: { 'retry-after': '45' }, body: '<html>' },
    { status: 413, body: '<html>' },
  ];
  await page.route('**/api/v1/api-keys', (route) => {
    const answer = route.request().method() === 'POST' ? answers.shift() : undefined;
    return answer ? route.fulfill(answer) : route.continue();
  });
  await beginKey(page, unique('strange'));
  const alert = page.getByRole('dialog').getByRole('alert');
  for (const words of [
    /It may or may not have been done/,
    /Try again in 45 seconds/,
    /request is too large/,
  ]) {
    await page.getByRole('button', { name: 'Create the key' }).click();
    await alert.getByText(words).waitFor();
  }
});

it('an invalid field takes the focus', async () => {
  // Axe takes seconds for a long list.
  const page = await claimed.open({ path: '/api-keys?q=none-of-them', as: claimed.target.adminApiKey });
  await beginKey(page, ' ');
  for (let attempt = 0; attempt < 2; attempt++) {
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText('Enter a name that says who uses the key.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('name');
  }
  await inspectPage(page, 'api-keys-create');
});

it('an unusable pasted key is explained without a request', async () => {
  const page = await claimed.open();
  const field = page.getByLabel('API key', { exact: true });
  const signIn = page.getByRole('button', { name: 'Sign in' });
  await field.fill('lk_51b7d344…');
  await signIn.click();
  await page.getByText(/That is only a key prefix/).waitFor();
  await field.fill('lk_51b7\u200bd344');
  await signIn.click();
  await page.getByText('That is not a complete key.').waitFor();
  expect(await page.getByText('The server does not answer.').count()).toBe(0);
  await field.fill(`Bearer ${makeApiKey()}`);
  await signIn.click();
  await page.getByText(/does not accept this key/).waitFor();
  await field.fill(`Bearer ${claimed.target.adminApiKey}`);
  await signIn.click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
});

it('where leases cannot be counted each page that shows their number says so, until they can', async () => {
  const { target, open } = claimed;
  const scene = await makeScene(target);
  await createLease(target, scene);
  const counts = /\/api\/v1\/leases\?(.*&)?limit=1(&|$)/;
  const { leases, content } = {
    leases: `/leases?viewer=${scene.viewerId}`,
    content: `/content/${scene.contentId}`,
  };
  for (const path of [leases, content, `/viewers?viewer=${scene.viewerId}`]) {
    const page = await open({
      ...{ path, broken: counts, as: target.adminApiKey, isAlone: true },
      async prepare(opened) {
        await opened.clock.install();
        await opened.route(counts, (route) => route.fulfill({ status: 503, body: '{}' }));
      },
    });
    const notCounted = page.getByText('Not counted', { exact: true });
    await passTimeUntil(page, () => notCounted.isVisible());
    await page.unroute(counts);
    await passTimeUntil(page, async () => (await notCounted.count()) === 0);
  }
});

it.each([
  ['/settings', ['Not known', 'Not known']],
  ['/refusals', []],
])('if %s cannot be read, nothing next to the error claims that it is being read', async (path, facts) => {
  const { target, open } = claimed;
  const statistics = /\/api\/v1\/statistics\?/;
  const page = await open({
    ...{ path, broken: statistics, as: target.adminApiKey, isAlone: true },
    async prepare(opened) {
      await opened.clock.install();
      await opened.route(statistics, (route) => route.fulfill({ status: 503, body: '{}' }));
    },
  });
  // At one moment. Other parts of the page may still be read.
  const besideError = `(() => {
    const main = document.querySelector('main');
    if (!main?.querySelector('[role=alert]')) return null;
    return { facts: [...main.querySelectorAll('dd')].map((fact) => fact.textContent), text: main.textContent };
  })()`;
  let shown: { facts: string[]; text: string } | null = null;
  await passTimeUntil(page, async () => {
    shown = await page.evaluate<typeof shown>(besideError);
    return shown !== null && !/Reading…|Loading…/.test(shown.text);
  });
  expect(shown).toMatchObject({ facts });
});

it('a viewer whose leases cannot be read is not shown as one without leases, devices and sessions', async () => {
  const { target, open } = claimed;
  const { viewerId } = await makeScene(target);
  const facts = /\/api\/v1\/(?:leases|viewers)\?/;
  const page = await open({
    ...{ path: `/viewers?viewer=${viewerId}`, broken: facts, as: target.adminApiKey, isAlone: true },
    async prepare(opened) {
      await opened.clock.install();
      await opened.route(facts, (route) => route.fulfill({ status: 503, body: '{}' }));
    },
  });
  const shown = () => page.getByRole('main').locator('dd').allTextContents();
  const unknown = ['Not counted', 'Not known', 'Not known'];
  await passTimeUntil(page, async () => (await shown()).join() === unknown.join());
  await page.unroute(facts);
  // One for the facts, one for the leases.
  const again = page.getByRole('button', { name: 'Try again' });
  await again.nth(1).click();
  await again.first().click();
  const uncounted = '–not counted';
  await expect.poll(shown).toEqual(['0', 'no lease kept', 'none named', uncounted, uncounted]);
});
