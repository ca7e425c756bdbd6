import { changesArrived, createLease, revokeLeases } from '@latchkey/support/black-box/server-actions';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { openShared, readShared } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { decodeVideo, ffmpeg } from '@latchkey/support/playback/decode-video';
import { type EncryptedVideo, encryptVideo } from '@latchkey/support/playback/encrypt-video';
import { answersOf, readKeyRequests, servedPaths } from '@latchkey/support/playback/key-requests';
import { startMediaServer } from '@latchkey/support/playback/media-server';
import { viewerToken } from '@latchkey/support/tokens';
import type { MadeVideo } from '@latchkey/support/video/make-video';
import { afterAll, expect, it } from 'vitest';

// Without ffmpeg these tests fail. A skipped test would count as a film that plays.
/** Six segments of two seconds. */
const seconds = 12;
/** 25 a second, in each of two video renditions. */
const pictures = 2 * 25 * seconds;

const folder = makeFolder();
const media = await startMediaServer(folder.path);
afterAll(() => {
  media.close();
  folder.remove();
});
const server = await openShared('plain');
const clear = await readShared<MadeVideo>('/videos/short');

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

const playlistOf = ({ name }: EncryptedVideo) => `${media.origin}/${name}/master.m3u8`;
const originals = {
  ts: await decodeVideo(ffmpeg, clear.ts),
  fmp4: await decodeVideo(ffmpeg, clear.fmp4),
};

// Six segments are two epochs of four. Separate sound may have a seventh segment, which is in the second epoch.
it.each([
  ['ts', 'one key', undefined, 1],
  ['ts', 'a new key every four segments', 4, 2],
  ['fmp4', 'one key', undefined, 1],
  ['fmp4', 'a new key every four segments', 4, 2],
] as const)(
  'ffmpeg plays encrypted %s with %s to the end with a token, with the frames of the clear video',
  async (container, _what, rotateEvery, keys) => {
    const video = await encryptVideo(server, clear[container], folder.path, rotateEvery);
    const { bearer } = await admitViewer(video);
    const requests = await watchKeys(video, async () => {
      const played = await decodeVideo(ffmpeg, playlistOf(video), bearer);
      expect(played).toEqual(originals[container]);
      expect(played.pictures).toBe(pictures);
    });
    expect(video.keyUrls).toHaveLength(keys);
    expect(answersOf(requests)).toEqual(['200']);
    expect(servedPaths(requests).map((path) => server.url + path)).toEqual(video.keyUrls);
  },
);

it('ffmpeg gets no key without a token, and none after the lease is revoked', async () => {
  const video = await encryptVideo(server, clear.fmp4, folder.path, 4);
  const { leaseId, bearer, leased } = await admitViewer(video);
  const play = (headers?: Record<string, string>) => decodeVideo(ffmpeg, playlistOf(video), headers);
  const fail = (headers?: Record<string, string>) => expect(play(headers)).rejects.toThrow();

  expect(answersOf(await watchKeys(video, () => fail()))).toEqual(['401 UNAUTHENTICATED']);
  expect(answersOf(await watchKeys(video, () => play(leased)))).toEqual(['200']);
  await revokeLeases(server, { leaseId });
  await changesArrived(server);
  expect(answersOf(await watchKeys(video, () => fail(leased)))).toEqual(['403 LEASE_REVOKED']);
  expect(answersOf(await watchKeys(video, () => fail(bearer)))).toEqual(['403 TOKEN_REVOKED']);
});
