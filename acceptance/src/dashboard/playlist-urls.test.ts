import { expect, it } from 'vitest';
import { waitForAnnouncement } from './announcements.ts';
import { inspectPage } from './inspect-page.ts';
import { startDashboard } from './open-dashboard.ts';

const { open, server } = await startDashboard({ PLAYLIST_ORIGINS: 'https://cdn.example.com' });
const { client, adminApiKey } = server;
const playlistUrl = 'https://cdn.example.com/film/master.m3u8';
const stored = async () => (await client.get('/api/v1/content/film', adminApiKey)).json.content.playlistUrl;

it('the playlist of a content is shown, set and removed, and a refusal of the server stands at its field', async () => {
  await client.post('/api/v1/setup', adminApiKey);
  await client.post('/api/v1/content', adminApiKey, { id: 'film', name: 'Film' });
  const page = await open({ path: '/content/film', as: adminApiKey });
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
  // The message is that of the field, which has the focus.
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await page.evaluate('document.activeElement?.getAttribute("name")')).toBe('playlistUrl');
  await inspectPage(page, 'content-playlist-refused');

  await field.fill(` ${playlistUrl} `);
  await page.getByRole('button', { name: 'Save' }).click();
  await waitForAnnouncement(page, 'Content changed');
  await shown.waitFor();
  expect(await stored()).toBe(playlistUrl);
  await inspectPage(page, 'content-playlist');

  await page.getByRole('button', { name: 'Edit…' }).click();
  await field.fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await shown.waitFor({ state: 'detached' });
  expect(await stored()).toBeNull();
});
