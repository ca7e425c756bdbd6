import { createLease, makeScene } from '@latchkey/support/black-box/server-actions';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

const { open, target } = await openDashboard();

/** The details of a lease of a viewer's list. They are an entry of the history, and this browser goes back only when it is told to. */
async function openDetails(): Promise<{ page: Page; viewerId: string; goBackNow: () => Promise<unknown> }> {
  const scene = await makeScene(target);
  await createLease(target, scene);
  const page = await open({ path: `/leases?viewer=${scene.viewerId}`, as: target.adminApiKey });
  await page.getByRole('rowheader').getByRole('button').click();
  await page.getByRole('dialog').waitFor();
  await page.evaluate(`{
    const back = history.back.bind(history);
    const asked = [];
    history.back = () => asked.push(back);
    window.goBackNow = () => asked.splice(0).forEach((go) => go());
  }`);
  return { page, viewerId: scene.viewerId, goBackNow: () => page.evaluate('goBackNow()') };
}

const queryOf = (page: Page) => new URL(page.url()).searchParams.toString();

it('a filter that is changed while the details of a lease close stays changed', async () => {
  const { page, viewerId, goBackNow } = await openDetails();
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'State' }).selectOption('active');
  await goBackNow();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => queryOf(page)).toBe(`viewer=${viewerId}&state=active`);
});

it('a field that was chosen while the details of a lease close keeps the focus', async () => {
  const { page, goBackNow } = await openDetails();
  await page.keyboard.press('Escape');
  const field = page.getByRole('searchbox', { name: 'Viewer ID (exact)' });
  await field.focus();
  await goBackNow();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // The focus would return one frame later.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  expect(await field.and(page.locator(':focus')).count()).toBe(1);
});

it('details that are closed twice lead back to their list, and no further', async () => {
  const { page, viewerId, goBackNow } = await openDetails();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await goBackNow();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(queryOf(page)).toBe(`viewer=${viewerId}`);
});
