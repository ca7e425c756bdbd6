import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

const { open, target } = await openDashboard();

const focused = (page: Page) => () =>
  page.evaluate('document.activeElement?.textContent || document.activeElement?.getAttribute("aria-label")');

/** A transition of no property takes no time: a short one of all properties slows down every change. */
const countMoving = `[...document.querySelectorAll('*')].filter((element) => {
  const { transitionProperty, transitionDuration, animationName } = getComputedStyle(element);
  return animationName !== 'none' || (transitionProperty !== 'none' && /[1-9]/.test(transitionDuration));
}).length`;

it('the dashboard works by keyboard: the skip link passes the navigation, and the heading takes the focus', async () => {
  const page = await open({ path: '/api-keys', as: target.adminApiKey });
  await page.getByRole('rowheader').first().waitFor();
  await expect.poll(focused(page)).toBe('API keys');
  const skip = page.getByRole('link', { name: 'Skip navigation' });
  expect(await page.evaluate('document.querySelector("a, button, input").textContent')).toBe(
    'Skip navigation',
  );
  await skip.focus();
  await expect.poll(async () => (await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
  await page.keyboard.press('Tab');
  await expect.poll(focused(page)).toBe('Export CSV');
  await page.keyboard.press('Tab');
  await expect.poll(focused(page)).toBe('Create a key');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Create an API key' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(focused(page)).toBe('Create a key');
});

it('on a narrow screen the navigation is a drawer, which closes after use or with Esc', async () => {
  const page = await open({ path: '/webhooks', as: target.adminApiKey, width: 390 });
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('link', { name: 'Your key' }).waitFor();
  await inspectPage(page, 'drawer', [390]);
  await page.setViewportSize({ width: 390, height: 900 });
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  await drawer.getByRole('link', { name: 'Your key' }).click();
  await page.getByRole('heading', { name: 'Your key' }).waitFor();
  await drawer.waitFor({ state: 'detached' });
});

it('the theme follows the system until one is chosen, and the choice is remembered', async () => {
  const page = await open({ theme: 'dark', as: target.adminApiKey, isAlone: true });
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const dark = await ground();
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(ground).not.toBe(dark);
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  await expect.poll(ground).toBe(dark);
  await page.reload();
  await expect.poll(ground).toBe(dark);
});

it('where less motion is preferred, no element has a transition or an animation', async () => {
  const page = await open({ path: '/api-keys', as: target.adminApiKey });
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('dialog').waitFor();
  const moving = () => page.evaluate(countMoving);
  expect(await moving()).toBe(0);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  expect(await moving()).toBeGreaterThan(0);
});

it('a time is shown relative to now, and in full on hover', async () => {
  const page = await open({ path: '/api-keys', as: target.adminApiKey });
  const time = page.getByRole('rowheader').first().locator('xpath=..').locator('time').first();
  await time.hover();
  const tip = page.locator('[popover]:popover-open');
  await tip.filter({ hasText: /\d{4} at \d\d:\d\d:\d\d/ }).waitFor();
});

it.each([
  { width: 1920, size: '16px', between: [900, 1400] },
  { width: 3840, size: '24px', between: [2200, 2900] },
])(
  'a window $width pixels wide has a font size of $size, and tables use the width within limits',
  async ({ width, size, between: [least = 0, most = 0] }) => {
    const page = await open({ path: '/api-keys', as: target.adminApiKey, width });
    await page.getByRole('rowheader').first().waitFor();
    const { width: tableWidth = 0 } = (await page.getByRole('table').boundingBox()) ?? {};
    expect(tableWidth).toBeGreaterThan(least);
    expect(tableWidth).toBeLessThan(most);
    expect(await page.evaluate('getComputedStyle(document.documentElement).fontSize')).toBe(size);
  },
);
