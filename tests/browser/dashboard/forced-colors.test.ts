import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';

const { open, target } = await openDashboard();

/** The pixels of an element without pointer and focus on it. */
async function pixelsOf(page: Page, element: Locator): Promise<string> {
  await page.mouse.move(0, 0);
  await page.evaluate('document.activeElement?.blur()');
  return (await element.screenshot({ animations: 'disabled' })).toString('base64');
}

/** The element must look the same twice, and otherwise after the change. */
async function expectToShow(page: Page, element: Locator, change: () => Promise<unknown>): Promise<void> {
  const before = await pixelsOf(page, element);
  expect((await pixelsOf(page, element)) === before).toBe(true);
  await change();
  await expect.poll(async () => (await pixelsOf(page, element)) === before).toBe(false);
}

it('in forced colours the current page, a filter that is on, the chosen theme and the chosen place look unlike the rest', async () => {
  const page = await open({ path: '/api-keys', as: target.adminApiKey, isAlone: true });
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await page.getByRole('rowheader').or(page.getByText('No API keys yet')).first().waitFor();
  const navigation = page.getByRole('navigation', { name: 'Pages' });
  const toggle = page.getByRole('button', { name: 'Never expires' });
  await expectToShow(page, toggle, () => toggle.click());
  const dark = page.getByRole('radio', { name: 'Dark' });
  await expectToShow(page, page.locator('label', { has: dark }).or(dark.locator('xpath=..')).first(), () =>
    dark.check({ force: true }),
  );
  const audit = navigation.getByRole('link', { name: 'Audit' });
  await expectToShow(page, audit, () => audit.click());
  await page.keyboard.press('Control+k');
  const place = page.getByRole('dialog').getByRole('option').nth(1);
  await place.waitFor();
  await expectToShow(page, place, async () => {
    await page.getByRole('dialog').getByRole('combobox').focus();
    await page.keyboard.press('ArrowDown');
  });
});
