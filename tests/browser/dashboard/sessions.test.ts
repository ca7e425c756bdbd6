import { makeScene, registerContent } from '@latchkey/support/black-box/server-actions';
import { playlistOrigin } from '@latchkey/support/black-box/shared-settings';
import { unique } from '@latchkey/support/black-box/unique';
import { waitForAnnouncement } from '@latchkey/support/dashboard/announcements';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openSharedDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { expect, it } from 'vitest';

const { open, target } = await openSharedDashboard('every-route');
const { client, adminApiKey } = target;
const playlistUrl = `${playlistOrigin}/film/master.m3u8`;
const stored = async (id: string) =>
  (await client.get(`/api/v1/content/${id}`, adminApiKey)).json.content.playlistUrl;

it('the playlist of a content is shown, set and removed, and a refusal of the server is shown at its field', async () => {
  const id = await registerContent(target);
  const page = await open({ path: `/content/${id}`, as: adminApiKey });
  const shown = page.getByRole('definition').filter({ hasText: /^https:\/\/cdn/ });
  await page.getByText('Playlist URL').waitFor();
  expect(await shown.count()).toBe(0);

  await page.getByRole('button', { name: 'Edit…' }).click();
  const field = page.getByRole('textbox', { name: 'Playlist URL' });
  await field.fill('master.m3u8');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('An http or https URL, such as').waitFor();
  await field.fill('https://elsewhere.example/master.m3u8');
  await field.press('Enter');
  await page
    .getByText(/^It has the origin .*elsewhere\.example, which PLAYLIST_ORIGINS does not list\.$/)
    .waitFor();
  // The message belongs to the field, which has the focus.
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await page.evaluate('document.activeElement?.getAttribute("name")')).toBe('playlistUrl');
  await inspectPage(page, 'content-playlist-refused');

  await field.fill(` ${playlistUrl} `);
  await page.getByRole('button', { name: 'Save' }).click();
  await waitForAnnouncement(page, 'Content changed');
  await shown.waitFor();
  expect(await stored(id)).toBe(playlistUrl);

  await page.getByRole('button', { name: 'Edit…' }).click();
  await field.fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await shown.waitFor({ state: 'detached' });
  expect(await stored(id)).toBeNull();
});

it('a session is listed with its device and its last use, says in its details what it is, and is revoked like any lease', async () => {
  const [contentId, viewerId] = [unique('series'), unique('ada')];
  await client.post('/api/v1/content', adminApiKey, { id: contentId, name: 'Series', playlistUrl });
  const asked = { contentId, viewerId, deviceId: 'Living room TV' };
  const { json, status } = await client.post('/keys/sessions', adminApiKey, asked);
  expect(status).toBe(201);
  const { leaseId } = json.session;
  const [secret = ''] = /(?<=\/play\/)[\w-]{43}/.exec(json.url) ?? [];
  const page = await open({ path: `/leases?viewer=${viewerId}`, as: adminApiKey });
  const row = page.getByRole('row', { name: viewerId });
  await row.getByText('on Living room TV').waitFor();
  await row.getByText('URL not used yet').waitFor();
  await inspectPage(page, 'leases-session');

  const useKey = async () => (await client.get(`/keys/${contentId}?s=${secret}`)).code ?? 'served';
  // A use is reported after a quarter of the session's life at the soonest, so the test puts one into the answers.
  await page.route(/\/api\/v1\/leases/, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    const lastUsedAt = new Date(Date.now() - 150_000).toISOString();
    for (const lease of [...(body.leases ?? []), body.lease].filter(Boolean)) {
      expect(lease).toHaveProperty('lastUsedAt', null);
      lease.lastUsedAt = lastUsedAt;
    }
    await route.fulfill({ response: answer, json: body });
  });
  // Another filter reads the list again.
  await page.getByLabel('Content ID (exact)').fill(contentId);
  await row.getByText(/^URL used [23] min/).waitFor();

  await page.getByRole('button', { name: viewerId, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Session: a URL that plays without a token').waitFor();
  await dialog.getByText('Last used').waitFor();
  await dialog.getByText(/[23] min.* ago/).waitFor();
  await inspectPage(page, 'leases-session-details');
  // The list and the details name no secret.
  expect(await page.content()).not.toContain(secret);
  await dialog.getByRole('button', { name: 'Revoke…' }).click();
  await page.getByLabel('Reason').fill('shared link');
  await page.getByRole('button', { name: 'Revoke the lease' }).click();
  await waitForAnnouncement(page, '1 lease revoked');
  await expect.poll(useKey).toBe('LEASE_REVOKED');
  // The page reads the list again on its own: no answer may be on its way when the page closes.
  await page.unrouteAll({ behavior: 'wait' });
  const { json: after } = await client.get(`/api/v1/leases/${leaseId}`, adminApiKey);
  expect(after.lease).toMatchObject({ kind: 'session', state: 'revoked', reason: 'shared link' });
});

it('the lease of a player says in its details that it sends tokens', async () => {
  const { contentId, viewerId } = await makeScene(target);
  await client.post('/keys/leases', adminApiKey, { contentId, viewerId });
  const page = await open({ path: `/leases?viewer=${viewerId}`, as: adminApiKey });
  await page.getByRole('button', { name: viewerId, exact: true }).click();
  await page.getByText('Player: sends a token with each key request').waitFor();
  expect(await page.getByText(/^URL /).count()).toBe(0);
});
