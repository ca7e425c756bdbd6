import { afterAll, describe, expect, it } from 'vitest';
import { decodeVideo } from './playback/decode-video.ts';
import { type EncryptedVideo, encryptVideo } from './playback/encrypt-video.ts';
import { answersOf, readKeyRequests, servedPaths } from './playback/key-requests.ts';
import { ffmpeg, makeSmallVideo } from './playback/make-small-video.ts';
import { startMediaServer } from './playback/media-server.ts';
import { changesArrived, createLease, revokeLeases } from './server-actions.ts';
import { makeFolder } from './server-process.ts';
import { openShared } from './target.ts';
import { unique, viewerToken } from './tokens.ts';

// Without ffmpeg these tests fail. A skipped test would count as a film that plays.
/** Three segments of two seconds. */
const seconds = 6;
/** 25 a second, in each of two video renditions. */
const pictures = 2 * 25 * seconds;

const folder = makeFolder();
const media = await startMediaServer(folder.path);
afterAll(() => {
  media.close();
  folder.remove();
});
const server = await openShared('plain');
const clear = await makeSmallVideo(`${folder.path}/clear`, seconds);

/** Creates a viewer who may play the video. @returns the headers that its player sends */
async function admitViewer({ contentId }: EncryptedVideo) {
  const viewerId = unique('viewer');
  const token = viewerToken(server.jwtSecret, viewerId, { content_ids: [contentId] });
  const leaseId = await createLease(server, { token, contentId });
  const authorization = `Bearer ${token}`;
  return { viewerId, leaseId, bearer: { authorization }, leased: { authorization, 'x-lease-id': leaseId } };
}

/** Runs a player. @returns its key requests */
async function watchKeys({ contentId }: EncryptedVideo, play: () => Promise<unknown>) {
  const before = await readKeyRequests(server, contentId);
  await play();
  return (await readKeyRequests(server, contentId)).slice(before.length);
}

describe.each(['ts', 'fmp4'] as const)('ffmpeg plays an encrypted %s presentation', async (container) => {
  const original = await decodeVideo(ffmpeg, clear[container]);

  // Three segments are two epochs of two. Separate sound may have a fourth segment, which is in the second epoch.
  describe.each([
    ['with one key', undefined, 1],
    ['with a new key every two segments', 2, 2],
  ])('%s', async (_, rotateEvery, keys) => {
    const video = await encryptVideo(server, clear[container], folder.path, rotateEvery);

    it(`ffmpeg plays encrypted ${container} to the end with a token, with the frames of the clear video and one key per epoch (${keys})`, async () => {
      const { bearer } = await admitViewer(video);
      const requests = await watchKeys(video, async () => {
        const played = await decodeVideo(ffmpeg, `${media.origin}/${video.name}/master.m3u8`, bearer);
        expect(played).toEqual(original);
        expect(played.pictures).toBe(pictures);
      });
      expect(video.keyUrls).toHaveLength(keys);
      expect(answersOf(requests)).toEqual(['200']);
      expect(servedPaths(requests).map((path) => server.url + path)).toEqual(video.keyUrls);
    });

    it(`ffmpeg gets no key of ${container} without a token, and none after the lease is revoked (${keys} keys)`, async () => {
      const { leaseId, bearer, leased } = await admitViewer(video);
      const url = `${media.origin}/${video.name}/master.m3u8`;
      const play = (headers?: Record<string, string>) => decodeVideo(ffmpeg, url, headers);

      const fail = (headers?: Record<string, string>) => expect(play(headers)).rejects.toThrow();

      expect(answersOf(await watchKeys(video, () => fail()))).toEqual(['401 UNAUTHENTICATED']);
      expect(answersOf(await watchKeys(video, () => play(leased)))).toEqual(['200']);
      await revokeLeases(server, { leaseId });
      await changesArrived(server);
      expect(answersOf(await watchKeys(video, () => fail(leased)))).toEqual(['403 LEASE_REVOKED']);
      expect(answersOf(await watchKeys(video, () => fail(bearer)))).toEqual(['403 TOKEN_REVOKED']);
    });
  });
});
