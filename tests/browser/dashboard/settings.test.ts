import { readFileSync } from 'node:fs';
import { expectToFit, inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { expect, it } from 'vitest';

const { open, target } = await openDashboard();

it('the settings show processes, storage and variables, which can be searched, and no secret', async () => {
  const page = await open({ path: '/settings', as: target.adminApiKey });
  const limits = page.getByRole('table', { name: 'Rate limits' });
  await limits.getByText('RATE_LIMIT', { exact: true }).waitFor();
  await page
    .getByRole('table', { name: 'Processes' })
    .getByText(/^1: [0-9a-f]{16}$/)
    .first()
    .waitFor();
  await page.getByText(/^(SQLite|Postgres)$/).waitFor();
  for (const width of [390, 1280]) await expectToFit(page, 'settings', width);
  expect(await page.content()).not.toContain(target.jwtSecret);

  await page.getByRole('searchbox', { name: 'Variable or meaning' }).fill('MASTER_KEY_HEX');
  await page
    .getByRole('table', { name: 'Master key' })
    .getByText(/not shown$/)
    .first()
    .waitFor();
  await expect.poll(() => limits.count()).toBe(0);
  await inspectPage(page, 'settings');
  await page.getByRole('searchbox', { name: 'Variable or meaning' }).fill('no such variable');
  await page.getByText('No matching variables').waitFor();
});

/** The variables of each section of `docs/operate/configuration.md`. */
function readSections(): Record<string, string[]> {
  const document = readFileSync(new URL('../../../docs/operate/configuration.md', import.meta.url), 'utf8');
  const sections = document.split(/^##+ /m).map((section) => {
    const [heading = '', ...lines] = section.split('\n');
    const names = lines
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => line.split(' | ')[0]?.match(/[A-Z0-9_]+/g) ?? []);
    return [heading, names] as const;
  });
  return Object.fromEntries(sections);
}

it('each variable is in the section that docs/operate/configuration.md has it in, and variables that are set come first', async () => {
  const page = await open({ path: '/settings', as: target.adminApiKey });
  await page.getByRole('table', { name: 'Rate limits' }).waitFor();
  const tables = (await page.evaluate(`[...document.querySelectorAll('table')].slice(1).map((table) => ({
    section: table.getAttribute('aria-label'),
    names: [...table.querySelectorAll('tbody code')].map((code) => code.textContent.split(',')[0]),
    areSet: [...table.querySelectorAll('tbody tr')].map((row) => !/^(default|unset|required)/.test(row.children[1].textContent)),
  }))`)) as { section: string; names: string[]; areSet: boolean[] }[];
  const sections = readSections();
  const strangers = tables.flatMap(({ section, names }) =>
    names.filter((name) => !sections[section]?.includes(name)),
  );
  expect(strangers).toEqual([]);
  for (const { section, areSet } of tables)
    expect([section, areSet]).toEqual([section, [...areSet].sort((a, b) => Number(b) - Number(a))]);
});
