import type { Page } from 'playwright-core';

/** Signs in through the form. Resolves once a page is shown. */
export async function signIn(page: Page, rawKey: string): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(rawKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await untilSignedIn(page);
}

/** Resolves once a page is shown to a signed-in key. */
export async function untilSignedIn(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
  await page
    .getByRole('button', { name: /sign out|open the navigation/i })
    .first()
    .waitFor();
}
