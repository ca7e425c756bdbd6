import { unique } from '@latchkey/support/black-box/unique';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { expect, it } from 'vitest';

const { open, target } = await openDashboard();
const { client, adminApiKey } = target;

const read = async (id: string) => (await client.get(`/api/v1/content/${id}`, adminApiKey)).json.content;
const register = (body: Record<string, unknown>) => client.post('/api/v1/content', adminApiKey, body);

it('key periods are chosen when a content is registered, changed in the edit dialog, shown on its page, and removed', async () => {
  const id = unique('film');
  const page = await open({ path: `/content?q=${id}`, as: adminApiKey });
  await page.getByRole('button', { name: 'Register a content' }).click();
  await page.getByLabel('Name', { exact: true }).fill('The long way home');
  await page.getByLabel('ID', { exact: true }).fill(id);
  await page.getByLabel('Key periods').selectOption('sequence');
  await page.getByLabel('Number of epochs').fill('0');
  await page.getByLabel('Longest period in seconds').fill('1,5');
  await page.getByLabel('Keys at once').fill('1001');
  await page.getByLabel('Then keys in each period').fill('101');
  await page.getByRole('button', { name: 'Register content' }).click();
  await page.getByText('From 1 to 4294967296.').waitFor();
  await page.getByText('A number of seconds above 0').waitFor();
  await page.getByText('From 1 to 1000.').waitFor();
  await page.getByText('Above 0, up to 100.').waitFor();
  // The first wrong field has the focus, and screen readers read its error.
  const count = page.getByLabel('Number of epochs');
  expect(await page.locator(':focus').getAttribute('name')).toBe('keyPeriods/count');
  expect(await count.getAttribute('aria-describedby')).not.toBeNull();
  await inspectPage(page, 'content-create-sequence-faults');
  await count.fill('120');
  await page.getByLabel('Longest period in seconds').fill('60.06');
  await page.getByLabel('Keys at once').fill('');
  await page.getByLabel('Then keys in each period').fill('');
  await page.getByRole('button', { name: 'Register content' }).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'The long way home' }).waitFor();
  const sequence = { mode: 'sequence', count: 120, periodSeconds: 60.06, burst: 8, speed: 2, pace: true };
  expect((await read(id)).keyPeriods).toEqual(sequence);
  await page.getByText('120: 0 to 119').waitFor();
  await page.getByText('At most 8 keys at once, then 2 keys every 60.06 s.').waitFor();
  await page.getByText('a key URL without an epoch answers 404').waitFor();
  await inspectPage(page, 'content-detail-sequence');

  await page.getByRole('button', { name: 'Edit…' }).click();
  expect(await page.getByLabel('Key periods').inputValue()).toBe('sequence');
  await page.getByLabel('Bound how fast a viewer fetches keys').uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Not bounded').waitFor();
  expect((await read(id)).keyPeriods).toEqual({ ...sequence, pace: false });

  await page.getByRole('button', { name: 'Edit…' }).click();
  await page.getByLabel('Key periods').selectOption('clock');
  await page.getByLabel('Epoch 0 begins').fill('2026-01-01');
  await page.getByLabel('Period in seconds').fill('10');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('A time with its offset').waitFor();
  await page.getByLabel('Epoch 0 begins').fill('2026-01-01T01:00:00+01:00');
  await page.getByLabel('Epochs behind').fill('6');
  await inspectPage(page, 'content-edit-clock');
  await page.getByRole('button', { name: 'Save' }).click();
  // The choice of the dialog has the same words, and is shown until the server has answered.
  await page.locator('#main').getByText('By the clock: a live channel').waitFor();
  expect((await read(id)).keyPeriods).toEqual({
    ...{ mode: 'clock', origin: '2026-01-01T00:00:00.000Z', periodSeconds: 10 },
    ...{ ahead: 1, behind: 6 },
  });

  await page.getByRole('button', { name: 'Edit…' }).click();
  await page.getByLabel('Key periods').selectOption('none');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('None. Every key is served at any time.').waitFor();
  expect((await read(id)).keyPeriods).toBeNull();
  const { json } = await client.get(`/api/v1/audit?target=${id}`, adminApiKey);
  const actions = json.audit.flatMap((entry: Record<string, string>) =>
    entry.outcome === 'done' ? [entry.action] : [],
  );
  expect(actions).toEqual([...Array(3).fill('content.update'), 'content.create']);
});

it('the page of a live channel follows the clock: its current epoch, what is served now, and when the next begins', async () => {
  const id = unique('live');
  const keyPeriods = { mode: 'clock', origin: '2026-01-01T00:00:00Z', periodSeconds: 2, ahead: 2, behind: 1 };
  await register({ id, name: 'News', keyPeriods });
  const page = await open({ path: `/content/${id}`, as: adminApiKey });
  const fact = (name: string) =>
    page.locator('dl > div', { has: page.getByText(name, { exact: true }) }).locator('dd');
  const shown = async () => Number(await fact('Current epoch').textContent());
  await expect.poll(shown).toBeGreaterThan(0);
  const first = await shown();
  // Both numbers are of the same moment where the current epoch did not change meanwhile.
  await expect
    .poll(async () => {
      const [before, served, after] = [await shown(), await fact('Served now').textContent(), await shown()];
      return before === after && served === `epochs ${before - 1} to ${before + 2}`;
    })
    .toBe(true);
  await expect.poll(shown).toBeGreaterThan(first);
  expect(await fact('Next').textContent()).toMatch(/^epoch \d+ in [0-2] s$/);
  // The server acts as the page describes.
  const current = await shown();
  const answer = await client.get(`/keys/${id}/${current + 100}`, adminApiKey);
  expect([answer.status, answer.code]).toEqual([403, 'EPOCH_NOT_YET']);
  expect(Math.abs(answer.json.currentEpoch - current)).toBeLessThanOrEqual(2);
  await page.getByText('npx latchkey encrypt --live').waitFor();
  await inspectPage(page, 'content-detail-clock');
});

it('before a live channel begins, its page counts down to epoch 0', async () => {
  const id = unique('live');
  const origin = new Date(Date.now() + 3_600_000).toISOString();
  await register({ id, name: 'Tonight', keyPeriods: { mode: 'clock', origin, periodSeconds: 60 } });
  const page = await open({ path: `/content/${id}`, as: adminApiKey });
  await page.getByText('none before epoch 0 begins').waitFor();
  await page.getByText(/^epoch 0 in (1 h 00|59) min/).waitFor();
});
