import { makeScene, revokeLeases } from '@latchkey/support/black-box/server-actions';
import { itInChromium } from '@latchkey/support/black-box/shared-browser';
import { unique } from '@latchkey/support/black-box/unique';
import { startWebhookReceiver } from '@latchkey/support/black-box/webhook-receiver';
import { waitForAnnouncement } from '@latchkey/support/dashboard/announcements';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard, startDashboard } from '@latchkey/support/dashboard/open-dashboard';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { countInHeap } from './count-in-heap.ts';

const receiver = await startWebhookReceiver();
afterAll(() => receiver.close());
const { open, server: target } = await startDashboard({ WEBHOOK_ORIGINS: receiver.origin });
const { client, adminApiKey } = target;
// An unclaimed server shows the wizard.
await client.post('/api/v1/setup', adminApiKey);

async function addWebhook(fields: Record<string, unknown> = {}): Promise<{ id: string; name: string }> {
  const name = unique('hook');
  const body = { name, url: `${receiver.origin}/in`, events: ['lease.revoked'], ...fields };
  const { json } = await client.post('/api/v1/webhooks', adminApiKey, body);
  return json.webhook;
}

const openWebhook = (id: string): Promise<Page> => open({ path: `/webhooks?webhook=${id}`, as: adminApiKey });
const deliveries = (page: Page) => page.getByRole('table', { name: 'Deliveries' });

it('a webhook is added with its secret shown once, tested, and deleted by typing', async () => {
  const page = await open({ path: '/webhooks', as: adminApiKey });
  await page.getByText('No webhooks').waitFor();
  await inspectPage(page, 'webhooks-empty');
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  await page.getByRole('dialog').waitFor();
  await inspectPage(page, 'webhooks-add');
  await page.getByRole('button', { name: 'Add the webhook' }).click();
  await page.getByText('Enter the URL of the receiver.').waitFor();
  const name = unique('On-call');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('URL', { exact: true }).fill('https://elsewhere.example');
  await page.getByRole('button', { name: 'Add the webhook' }).click();
  await page.getByText(/WEBHOOK_ORIGINS does not list/).waitFor();
  await page.getByLabel('URL', { exact: true }).fill(`${receiver.origin}/on-call`);
  await page.getByLabel('Alert ended').uncheck();
  await page.getByRole('button', { name: 'Add the webhook' }).click();
  const secret = (await page.getByTestId('raw-key').textContent()) ?? '';
  expect(secret).toMatch(/^whsec_/);
  await inspectPage(page, 'webhooks-secret');
  await page.getByLabel('I have stored this secret').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name }).click();
  await page.getByRole('heading', { name }).waitFor();
  // A filter that hides the row of the test does not hide its result.
  await page.getByLabel('State', { exact: true }).selectOption('failed');
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('Delivered: the receiver answered 204.').waitFor();
  await page.getByText('No matching deliveries').waitFor();
  await page.getByLabel('State', { exact: true }).selectOption('');
  await deliveries(page).getByText('Delivered').waitFor();
  expect(receiver.messages.at(-1)).toMatchObject({ path: '/on-call', type: 'webhook.test' });
  await page.getByRole('button', { name: 'Delete…' }).click();
  const confirm = page.getByRole('button', { name: 'Delete the webhook' });
  expect(await confirm.isDisabled()).toBe(true);
  await inspectPage(page, 'webhooks-delete');
  await page.getByLabel('Type delete to confirm').fill('delete');
  await confirm.click();
  await waitForAnnouncement(page, 'Webhook deleted');
  await page.getByText('No webhooks').waitFor();
});

it('a failed delivery shows why, its payload and the next try, and a replay delivers it', async () => {
  const { id } = await addWebhook();
  receiver.answer = 503;
  const { viewerId } = await makeScene(target);
  await revokeLeases(target, { viewerId, reason: 'left' });
  const page = await openWebhook(id);
  await deliveries(page).getByText('the receiver answered 503').waitFor();
  await deliveries(page).getByText('Waiting').waitFor();
  await inspectPage(page, 'webhooks-waiting');
  await deliveries(page).getByRole('button', { name: 'Leases revoked' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`"viewerId": "${viewerId}"`).waitFor();
  await inspectPage(page, 'webhooks-delivery');
  receiver.answer = 204;
  await dialog.getByRole('button', { name: 'Replay' }).click();
  await waitForAnnouncement(page, 'Sent again');
  await deliveries(page).getByText('Delivered').waitFor();
  const [first, ...later] = receiver.messages.filter(({ type }) => type === 'lease.revoked');
  expect(later.at(-1)?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  await client.call('DELETE', `/api/v1/webhooks/${id}`, { as: adminApiKey });
});

it('messages that follow each other with the same failure are one row, which shows the others, and their next try is counted down', async () => {
  const { id } = await addWebhook();
  receiver.answer = 503;
  const page = await openWebhook(id);
  for (let n = 0; n < 3; n++) {
    const { viewerId } = await makeScene(target);
    await revokeLeases(target, { viewerId, reason: 'left' });
  }
  const rows = deliveries(page).getByRole('row').filter({ hasText: 'the receiver answered 503' });
  const more = page.getByRole('button', { name: 'Show 2 earlier ones with the same failure' });
  await more.waitFor();
  expect(await rows.count()).toBe(1);
  await rows
    .first()
    .getByText(/^(\d+ (min|s)|now)/)
    .waitFor();
  await page.getByText('3 messages').waitFor();
  await inspectPage(page, 'webhooks-grouped');
  await more.click();
  await expect.poll(() => rows.count()).toBe(3);
  receiver.answer = 204;
  await client.call('DELETE', `/api/v1/webhooks/${id}`, { as: adminApiKey });
});

it('a webhook is paused, resumed and changed, also where its list could not be read at first, and its secret is rotated', async () => {
  const { id, name } = await addWebhook();
  const page = await openWebhook(id);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('A paused webhook sends nothing.').waitFor();
  expect(await page.getByRole('button', { name: 'Send a test' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  const list = '**/api/v1/webhooks';
  await page.route(list, (route) => route.fulfill({ status: 403, body: '{}' }));
  await page.getByRole('button', { name: 'Change…' }).click();
  const tryAgain = page.getByRole('dialog').getByRole('button', { name: 'Try again' });
  await tryAgain.waitFor();
  await page.unroute(list);
  await tryAgain.click();
  await page.getByLabel('API key expires soon').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Leases revoked, API key expires soon').waitFor();
  await page.getByRole('button', { name: 'Rotate the secret…' }).click();
  await inspectPage(page, 'webhooks-rotate');
  await page.getByRole('button', { name: 'Rotate the secret', exact: true }).click();
  await page.getByText(/^Messages are signed with the old secret too until/).waitFor();
  await page.getByLabel('I have stored this secret').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Old secret until').waitFor();
  await page.getByRole('link', { name: 'All webhooks' }).click();
  await page.getByRole('row', { name }).getByText('Active').waitFor();
  await inspectPage(page, 'webhooks-list');
  await client.call('DELETE', `/api/v1/webhooks/${id}`, { as: adminApiKey });
});

it('a refusal that no field of the form shows is shown above its buttons', async () => {
  const page = await open({ path: '/webhooks', as: adminApiKey });
  await page.getByRole('button', { name: 'Add a webhook' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill(unique('refused'));
  await page.getByLabel('URL', { exact: true }).fill(`${receiver.origin}/refused`);
  const errors = [{ path: '/status', message: 'must be active or paused' }];
  await page.route('**/api/v1/webhooks', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 400,
          contentType: 'application/problem+json',
          body: JSON.stringify({ code: 'VALIDATION_FAILED', errors }),
        })
      : route.continue(),
  );
  await page.getByRole('button', { name: 'Add the webhook' }).click();
  await page.getByRole('alert').getByText('status must be active or paused').waitFor();
});

// Only Chromium shows its heap.
itInChromium('the page keeps nothing of the secret of a webhook that was stored', async () => {
  const page = await open({ path: '/webhooks', as: adminApiKey, isAlone: true });
  await page.getByRole('button', { name: 'Add a webhook' }).first().click();
  const name = unique('kept');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('URL', { exact: true }).fill(`${receiver.origin}/kept`);
  await page.getByRole('button', { name: 'Add the webhook' }).click();
  const secret = (await page.getByTestId('raw-key').textContent()) ?? '';
  await page.getByLabel('I have stored this secret').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name }).click();
  await page.getByRole('heading', { name }).waitFor();
  expect(await page.content()).not.toContain(secret);
  // A heap with axe in it takes long to read, so nothing else is inspected here.
  await expect.poll(() => countInHeap(page, secret), { timeout: 60_000, interval: 2_000 }).toBe(0);
});

it('without WEBHOOK_ORIGINS the page explains how webhooks are turned on', async () => {
  const off = await openDashboard();
  const page = await off.open({ path: '/webhooks', as: off.target.adminApiKey });
  await page.getByText('Webhooks are off').waitFor();
  expect(await page.getByRole('button', { name: 'Add a webhook' }).count()).toBe(0);
});
