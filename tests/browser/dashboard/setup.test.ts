import { execFileSync } from 'node:child_process';
import { makeApiKey } from '@latchkey/support/black-box/target';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { startDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { expect, it } from 'vitest';
import { copyWith } from './copy-with.ts';
import { downloadWith } from './download-with.ts';

const setupToken = `setup-${makeApiKey()}`;
// Each is claimed once.
const [open, raced, proxied, guarded] = await Promise.all([
  startDashboard({ ADMIN_API_KEY: undefined }),
  startDashboard({ ADMIN_API_KEY: undefined }),
  startDashboard({}),
  startDashboard({ SETUP_TOKEN: setupToken }),
]);

it('the wizard claims a fresh server, shows the key once, and ends with a command that fetches a first content key', async () => {
  const page = await open.open();
  await page.getByRole('heading', { name: 'Set up your key server' }).waitFor();
  await inspectPage(page, 'setup-claim');
  await page.getByLabel('Name of the key').fill('Mona');
  await page.getByRole('button', { name: 'Claim this server' }).click();

  const rawKey = (await page.getByTestId('raw-key').textContent()) ?? '';
  expect(rawKey).toMatch(/^lk_[0-9a-f]{64}$/);
  await inspectPage(page, 'setup-key');
  expect(await copyWith(page, 'Copy')).toBe(rawKey);
  const { text } = await downloadWith(page, page.getByRole('button', { name: 'Download' }));
  expect(text).toBe(`${rawKey}\n`);
  const goOn = page.getByRole('button', { name: 'Continue' });
  expect(await goOn.isDisabled()).toBe(true);
  await page.getByLabel(/I have stored this key/).check();
  await goOn.click();

  await page.getByRole('heading', { name: 'Register a first content' }).waitFor();
  await inspectPage(page, 'setup-content');
  await page.getByLabel('ID').fill('no/slash');
  await page.getByRole('button', { name: 'Register the content' }).click();
  await expect.poll(() => page.getByLabel('ID').getAttribute('aria-invalid')).toBe('true');
  await page.getByText('Use only letters, digits, - and _').waitFor();
  await page.getByLabel('ID').fill('first-film');
  await page.getByRole('button', { name: 'Register the content' }).click();

  await page.getByRole('heading', { name: 'Fetch its key' }).waitFor();
  await inspectPage(page, 'setup-try');
  expect(await page.getByText(rawKey).count()).toBe(0);
  const command = await copyWith(page, 'Copy curl command');
  const bytes = execFileSync('sh', ['-c', command.replace('| od -An -tx1', '')]);
  expect(bytes).toHaveLength(16);
  expect(bytes).toEqual((await open.server.client.get('/keys/first-film', rawKey)).bytes);

  await page.getByRole('button', { name: 'Go to the dashboard' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('rowheader', { name: 'Mona' }).waitFor();
});

it('a server that was claimed while the wizard was open says so, and leads to the sign-in page', async () => {
  const page = await raced.open();
  await page.getByRole('heading', { name: 'Set up your key server' }).waitFor();
  expect((await raced.server.client.post('/api/v1/setup', undefined)).status).toBe(201);
  await page.getByRole('button', { name: 'Claim this server' }).click();
  await page.getByRole('heading', { name: 'Somebody else has claimed this server' }).waitFor();
  await inspectPage(page, 'setup-taken');
  await page.getByRole('button', { name: 'Sign in with a key' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

it('the wizard asks for the setup token if the server requires it, and refuses a wrong one', async () => {
  const page = await guarded.open();
  const token = page.getByLabel('Setup token', { exact: true });
  await page.getByRole('button', { name: 'Claim this server' }).click();
  await page.getByText('Enter the setup token.').waitFor();
  await token.fill('wrong');
  await page.getByRole('button', { name: 'Claim this server' }).click();
  await page.getByText('That is not the value of SETUP_TOKEN.').waitFor();
  await inspectPage(page, 'setup-token');
  await token.fill(setupToken);
  await page.getByRole('button', { name: 'Claim this server' }).click();
  await page.getByRole('heading', { name: 'Store your key' }).waitFor();
});

it('a wizard that was opened without the need of a bootstrap key asks for it once the server requires it', async () => {
  const page = await proxied.open();
  await page.getByRole('heading', { name: 'Set up your key server' }).waitFor();
  expect(await page.getByLabel('Bootstrap key', { exact: true }).count()).toBe(0);
  // From here on the server judges the page's calls as it does ten minutes after its start.
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': '203.0.113.9' });
  await page.getByRole('button', { name: 'Claim this server' }).click();
  await page.getByLabel('Bootstrap key', { exact: true }).waitFor();
  await page.getByText('Enter the bootstrap key.').waitFor();
});

it('the wizard asks for the bootstrap key behind a proxy', async () => {
  const page = await proxied.open();
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': '203.0.113.9' });
  await page.reload();
  const field = page.getByLabel('Bootstrap key', { exact: true });
  await page.getByRole('button', { name: 'Claim this server' }).click();
  await page.getByText('Enter the bootstrap key.').waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('credential');
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  await field.fill(proxied.server.adminApiKey);
  await page.getByRole('button', { name: 'Claim this server' }).click();
  await page.getByRole('heading', { name: 'Store your key' }).waitFor();
});
