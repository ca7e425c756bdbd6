import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { freePorts, makeTestFolder, startInTest } from '@latchkey/support/black-box/own-process';
import { unique } from '@latchkey/support/black-box/unique';
import { buildDashboard, openDashboardAt } from '@latchkey/support/dashboard/open-dashboard';
import { viewerToken } from '@latchkey/support/tokens';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { copyWith } from './copy-with.ts';
import { downloadWith } from './download-with.ts';

/** A server just after its installation: only its ports are configured. */
async function startFresh() {
  const folder = makeTestFolder();
  const url = await startInTest(folder, { ...freePorts, SQLITE_PATH: undefined }).listens();
  const kept = parseEnv(readFileSync(join(folder, 'data', 'latchkey.env'), 'utf8'));
  const secret = Buffer.from((kept.AUTH_JWT_SECRET ?? '').replace(/^base64:/, ''), 'base64');
  return { url, secret };
}

/** Claims the server and downloads the key, without which the wizard does not continue. @returns the key in the file */
async function claim(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Claim this server' }).click();
  const proceed = page.getByRole('button', { name: 'Continue' });
  expect(await proceed.isDisabled()).toBe(true);
  const { text } = await downloadWith(page, page.getByRole('button', { name: 'Download' }));
  await page.getByLabel(/I have stored this key/).check();
  await proceed.click();
  return text.trim();
}

async function register(page: Page, id: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('The long way home');
  await page.getByLabel('ID', { exact: true }).fill(id);
  await page.getByRole('button', { name: 'Register the content' }).click();
}

/** Runs the command that the page shows. @returns its output: the content key in hex */
async function runSnippet(page: Page): Promise<string> {
  const command = await copyWith(page, 'Copy curl command');
  return execFileSync('sh', ['-c', command], { encoding: 'utf8' }).replaceAll(/\s/g, '');
}

it('the first hour works: claim, store the key, register, fetch a key, then see, revoke and audit a lease', async () => {
  buildDashboard();
  const { url, secret } = await startFresh();
  const { open } = await openDashboardAt(url);
  const page = await open();
  const rawKey = await claim(page);
  const contentId = unique('film');
  await register(page, contentId);
  await page.getByRole('heading', { name: 'Fetch its key' }).waitFor();
  expect(await runSnippet(page)).toMatch(/^[0-9a-f]{32}$/);

  await page.getByRole('button', { name: 'Go to the dashboard' }).click();
  await page.getByRole('link', { name: 'Leases' }).click();
  await page.getByText('Live', { exact: true }).waitFor();
  const viewerId = unique('viewer');
  const headers = { authorization: `Bearer ${viewerToken(secret, viewerId)}` };
  const made = await fetch(`${url}/keys/leases`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ contentId, deviceId: 'living room' }),
  });
  const { lease } = (await made.json()) as { lease: { id: string } };
  const askForKey = () =>
    fetch(`${url}/keys/${contentId}`, { headers: { ...headers, 'x-lease-id': lease.id } });
  expect([made.status, (await askForKey()).status]).toEqual([201, 200]);
  const row = page.getByRole('row', { name: viewerId });
  await row.getByText('Active', { exact: true }).waitFor();

  await page.getByRole('button', { name: `Actions for ${viewerId} on ${contentId}` }).click();
  await page.getByRole('menuitem', { name: 'Revoke this lease…' }).click();
  await page.getByLabel('Reason').fill('the account was shared');
  await page.getByRole('button', { name: 'Revoke the lease' }).click();
  await row.getByText('Revoked', { exact: true }).waitFor();
  const refused = await askForKey();
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, 'LEASE_REVOKED']);
  const said = await fetch(`${url}/api/v1/leases/${lease.id}`, {
    headers: { authorization: `Bearer ${rawKey}` },
  });
  expect(await said.json()).toMatchObject({ lease: { reason: 'the account was shared' } });

  await page.getByRole('link', { name: 'Audit' }).click();
  const entry = page.getByRole('table').getByRole('row', { name: lease.id });
  await entry.first().waitFor();
  expect(await entry.first().textContent()).toContain('Revoke leases');
});
