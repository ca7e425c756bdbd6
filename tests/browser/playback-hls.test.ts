import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changesArrived, createLease, revokeLeases } from '@latchkey/support/black-box/server-actions';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { openSharedBrowser } from '@latchkey/support/black-box/shared-browser';
import { readShared, startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { type EncryptedVideo, encryptVideo } from '@latchkey/support/playback/encrypt-video';
import { answersOf, readKeyRequests, servedPaths } from '@latchkey/support/playback/key-requests';
import { startMediaServer } from '@latchkey/support/playback/media-server';
import { viewerToken } from '@latchkey/support/tokens';
import type { MadeVideo } from '@latchkey/support/video/make-video';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';

/** Of the shared videos. */
const [shortSeconds, longSeconds] = [12, 48];
/** Of segments of two seconds. */
const rotateEvery = 2;

const folder = makeFolder();
const media = await startMediaServer(folder.path, {
  '/player.html': fileURLToPath(new URL('../support/playback/player.html', import.meta.url)),
  '/player.js': fileURLToPath(new URL('../support/playback/player.js', import.meta.url)),
  '/hls.mjs': join(dirname(fileURLToPath(import.meta.resolve('hls.js'))), 'hls.min.mjs'),
});
// Its own, because it lists the origin of this file's pages.
const server = await startServer({ CORS_ORIGINS: media.origin, LEASE_MODE: 'required' });
const [clear, long] = await Promise.all([
  readShared<MadeVideo>('/videos/short'),
  readShared<MadeVideo>('/videos/long'),
]);
const browser = await openSharedBrowser();
afterAll(() => {
  media.close();
  folder.remove();
});

/** The report of `player.js`. */
interface Seen {
  errors: { type: string; details: string; fatal: boolean; status?: number }[];
  ended: boolean;
  stopped: boolean;
  starved: boolean;
  bufferedEnd: number;
  currentTime: number;
  duration: number;
  frames: number;
}

/** Opens a page whose player plays the video for a viewer with a lease. */
async function play({ contentId, name }: EncryptedVideo, { stopsOnRefusal = true, rate = 1 } = {}) {
  const viewerId = unique('viewer');
  const token = viewerToken(server.jwtSecret, viewerId, { content_ids: [contentId] });
  const leaseId = await createLease(server, { token, contentId });
  const page = await browser.newPage();
  await page.goto(`${media.origin}/player.html`);
  const playlist = `${media.origin}/${name}/master.m3u8`;
  const options = { playlist, keyServer: server.url, token, leaseId, stopsOnRefusal, rate };
  await page.waitForFunction('window.play');
  await page.evaluate(`window.play(${JSON.stringify(options)})`);
  return { page, leaseId, seen: (): Promise<Seen> => page.evaluate('window.seen()') };
}

/** @param condition on `seen`, as a script */
function waitUntil(page: Page, condition: string): Promise<unknown> {
  const expression = `((seen) => ${condition})(window.seen())`;
  return page.waitForFunction(expression, undefined, { timeout: 60_000 });
}

/** At this rate the two keys of its buffer last long, and the player does not yet ask for the third. */
const slow = 0.25;
/** The page itself pauses, because on a busy machine seconds pass until this process sees that it played. */
const playsSlowly =
  'seen.currentTime > 0.25 && seen.bufferedEnd > 5.5 && (document.querySelector("video").pause(), true)';
const goOn = (page: Page) =>
  page.evaluate(
    '((video) => { video.playbackRate = 2; return video.play(); })(document.querySelector("video"))',
  );

it.each(['ts', 'fmp4'] as const)(
  'hls.js plays encrypted %s from another origin to the end, and sends token and lease only to the key server',
  async (container) => {
    const video = await encryptVideo(server, clear[container], folder.path, rotateEvery);
    const { page, seen } = await play(video, { rate: 4 });
    await waitUntil(page, 'seen.ended || seen.stopped');

    // 25 a second. Decoded frames are counted a little later, and a busy machine may drop the last of them.
    await waitUntil(page, `seen.frames > ${shortSeconds * 25 * 0.9}`);
    const { errors, currentTime, duration } = await seen();
    expect(errors.filter(({ fatal }) => fatal)).toEqual([]);
    expect(duration).toBeGreaterThan(shortSeconds - 0.5);
    expect(currentTime).toBeCloseTo(duration, 0);
    const requests = await readKeyRequests(server, video.contentId);
    expect(answersOf(requests)).toEqual(['200']);
    // Sound that is longer than the picture makes one more segment of some films.
    expect(video.keyUrls.length).toBeGreaterThanOrEqual(3);
    expect(servedPaths(requests)).toEqual(video.keyUrls.map((url) => new URL(url).pathname));

    const loaded = media.requests.filter(({ path }) => path.startsWith(`/${video.name}/`));
    expect(loaded.filter(({ path }) => /\.(ts|m4s)$/.test(path)).length).toBeGreaterThanOrEqual(
      shortSeconds / 2,
    );
    expect(loaded.filter(({ headers }) => headers.authorization ?? headers['x-lease-id'])).toEqual([]);
  },
);

// Concurrently, because a player of the usual settings takes seconds until it gives up.
describe.concurrent('after a revocation', () => {
  it('hls.js stops playing after a revocation: it asks once or twice for the next key and gets none', async () => {
    const video = await encryptVideo(server, long.fmp4, folder.path, rotateEvery);
    const { page, leaseId, seen } = await play(video, { rate: slow });
    await waitUntil(page, playsSlowly);
    await revokeLeases(server, { leaseId });
    await changesArrived(server);
    const held = servedPaths(await readKeyRequests(server, video.contentId));
    await goOn(page);
    await waitUntil(page, 'seen.stopped && seen.starved');

    const requests = await readKeyRequests(server, video.contentId);
    const refused = requests.filter(({ status }) => status !== 200);
    expect(servedPaths(requests)).toEqual(held);
    expect(held.length).toBeLessThan(video.keyUrls.length);
    expect(answersOf(refused)).toEqual(['403 LEASE_REVOKED']);
    expect(new Set(refused.map(({ path }) => path)).size).toBe(1);
    expect(refused.length).toBeLessThanOrEqual(2);
    const { errors, currentTime, ended } = await seen();
    expect(errors).toContainEqual(expect.objectContaining({ details: 'keyLoadError', status: 403 }));
    expect(ended).toBe(false);
    // It plays to the end of the epochs that it has keys for.
    expect(Math.abs(currentTime - held.length * rotateEvery * 2)).toBeLessThan(0.5);
  });

  it('hls.js by default asks for a refused key at most once a second, and gives up with a fatal 403', async () => {
    const video = await encryptVideo(server, long.ts, folder.path, rotateEvery);
    const { page, leaseId, seen } = await play(video, { stopsOnRefusal: false, rate: slow });
    await waitUntil(page, playsSlowly);
    await revokeLeases(server, { leaseId });
    await changesArrived(server);
    await goOn(page);
    await waitUntil(page, 'seen.stopped');

    const { errors, currentTime } = await seen();
    expect(errors.at(-1)).toMatchObject({ details: 'keyLoadError', status: 403, fatal: true });
    expect(currentTime).toBeLessThan(longSeconds - 1);
    const refused = (await readKeyRequests(server, video.contentId)).filter(({ status }) => status !== 200);
    expect(answersOf(refused)).toEqual(['403 LEASE_REVOKED']);
    // It tries both renditions at once, and then as often as its keyLoadPolicy allows (8).
    expect(refused.length).toBeLessThanOrEqual(2 + 8);
  });
});
