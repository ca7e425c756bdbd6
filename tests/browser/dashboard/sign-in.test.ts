import { createApiKey, revokeApiKey } from '@latchkey/support/black-box/server-actions';
import { itInChromium } from '@latchkey/support/black-box/shared-browser';
import { makeApiKey } from '@latchkey/support/black-box/target';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard, signIn } from '@latchkey/support/dashboard/open-dashboard';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';
import { countInHeap } from './count-in-heap.ts';

const { open, target } = await openDashboard();

it('a key that the server does not accept is refused with the reason, and a viewer token is recognised', async () => {
  const page = await open();
  const field = page.getByLabel('API key', { exact: true });
  const button = page.getByRole('button', { name: 'Sign in' });
  await button.click();
  await page.getByText('Enter a key.').waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  await field.fill(makeApiKey());
  await button.click();
  await page.getByText(/does not accept this key: it is unknown, revoked or expired/).waitFor();
  await inspectPage(page, 'sign-in-refused');
  await field.fill(viewerToken(target.jwtSecret, 'viewer'));
  await button.click();
  await page.getByText(/That is a viewer token/).waitFor();
});

it('signing in shows the requested page and keeps the key in memory only, and signing out removes it', async () => {
  const page = await open({ path: '/account' });
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(page, target.adminApiKey);
  await page.getByRole('heading', { name: 'Your key' }).waitFor();
  await expect.poll(() => new URL(page.url()).pathname).toBe('/admin/account');
  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(
    'lk_',
  );
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(page, target.adminApiKey);
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

// Only Chromium shows its heap.
itInChromium('signing out removes the key from the memory of the page', async () => {
  const page = await open({ isAlone: true });
  const { raw } = await createApiKey(target, 'admin');
  await signIn(page, raw);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(await countInHeap(page, raw)).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await expect.poll(() => countInHeap(page, raw), { timeout: 60_000, interval: 2_000 }).toBe(0);
});

it('a remembered key survives a reload, is in sessionStorage only, and is removed by signing out', async () => {
  const page = await open();
  await page.getByLabel(/Keep me signed in/).check();
  await signIn(page, target.adminApiKey);
  await page.reload();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain('lk_');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

it.each(['upload', 'playback'])(
  'a key of scope %s sees its own pages, and the reason why other pages are denied',
  async (scope) => {
    const { raw } = await createApiKey(target, scope);
    const page = await open({ as: raw });
    for (const [path, name] of [
      ['/audit', 'Audit'],
      ['/leases', 'Leases'],
      ['/api-keys', 'API keys'],
    ] as const) {
      await page.goto(`${target.url}/admin${path}`);
      await page.getByRole('heading', { name: 'Access denied' }).waitFor();
      expect(await page.getByRole('link', { name, exact: true }).count()).toBe(0);
    }
    await page.getByRole('link', { name: 'Your key' }).first().click();
    await page.getByText('This key has no management permissions').waitFor();
  },
);

it('a key that is revoked during its session is signed out, with the reason', async () => {
  const { raw, id } = await createApiKey(target, 'full');
  const page = await open({ path: '/api-keys', as: raw });
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  await revokeApiKey(target, id);
  const filter = page.getByRole('button', { name: 'Never expires' });
  await expect
    .poll(async () => {
      // Another replica may not know of the revocation yet, so the page calls the server again.
      if (await filter.isVisible()) await filter.click({ timeout: 500 }).catch(() => {});
      return page.getByText('Your key is no longer accepted').count();
    })
    .toBe(1);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

it('an unknown address shows No such page', async () => {
  const page = await open({ path: '/nothing-here', as: target.adminApiKey });
  await page.getByRole('heading', { name: 'No such page' }).waitFor();
});
