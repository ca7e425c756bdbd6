import type Hls from 'hls.js';
import { beforeEach, expect, it } from 'vitest';
import type { Player } from './player.ts';
import { createPlayer } from './player.ts';
import type { PlayerError } from './player-error.ts';
import type { PlayerOptions } from './player-options.ts';
import { asVideo, FakeHls, FakeVideo } from './testing/fake-browser.ts';
import {
  createFakeKeyServer,
  type FakeKeyServer,
  keyServerUrl,
  keyUrl,
  problem,
} from './testing/fake-key-server.ts';
import { settle } from './testing/manual-clock.ts';

const base = 'https://cdn.example/film';
const media = `#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="${keyUrl(0)}"\n#EXTINF:2,\n0.ts\n#EXT-X-ENDLIST`;
const files: Record<string, string> = {
  [`${base}/master.m3u8`]: '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow/index.m3u8',
  [`${base}/low/index.m3u8`]: media,
  [`${base}/live.m3u8`]: media.replace('#EXT-X-ENDLIST', ''),
};

let fake: FakeKeyServer;
let video: FakeVideo;
let player: Player;
let errors: PlayerError[];
let playlistHeaders: Headers[];
beforeEach(() => {
  fake = createFakeKeyServer();
  open();
});
function open(more: Partial<PlayerOptions> = {}) {
  video = new FakeVideo();
  errors = [];
  playlistHeaders = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    if (String(url).startsWith(keyServerUrl)) return (fake.options.fetch ?? globalThis.fetch)(url, init);
    playlistHeaders.push(new Headers(init?.headers));
    const file = files[String(url)];
    return new Response(file ?? 'gone', { status: file ? 200 : 404 });
  };
  const Fake = FakeHls as unknown as typeof Hls;
  const native = { video: asVideo(video), Hls: Fake, native: 'always' } as const;
  player = createPlayer({ ...fake.options, fetch, ...native, ...more });
  player.on('error', (error) => errors.push(error));
}
const load = (name: string) => player.load(`${base}/${name}`, { contentId: 'film' });
const decode = (dataUrl: string) => atob(dataUrl.slice(dataUrl.indexOf(',') + 1));
/** The key URL inside the source of the video. */
function shownKey(): string {
  const master = decode(video.src);
  return /URI="([^"]+)"/.exec(decode(/^data:.*$/m.exec(master)?.[0] ?? ''))?.[1] ?? '';
}

it('native playlists become one data URL, with the token and the lease only in the key URL', async () => {
  await load('master.m3u8');
  expect(player.hls).toBeNull();
  expect(video.src).toMatch(/^data:application\/vnd\.apple\.mpegurl;base64,/);
  expect(shownKey()).toBe(`${keyUrl(0)}?access_token=token-1&lease_id=lease-1`);
  const low = decode(/^data:.*$/m.exec(decode(video.src))?.[0] ?? '');
  expect(low).toContain(`\n${base}/low/0.ts\n`);
  expect(playlistHeaders.flatMap((headers) => [...headers])).toEqual([]);
});

it('a native live playlist stays at its own URL, since it has to be read again', async () => {
  await load('live.m3u8');
  expect(video.src).toBe(`${base}/live.m3u8`);
});

it('a missing playlist is MEDIA_NETWORK', async () => {
  await expect(load('missing.m3u8')).rejects.toMatchObject({ code: 'MEDIA_NETWORK', status: 404 });
  expect(errors).toHaveLength(1);
});

it('a native playback without a token ends once nothing could be played for `patienceSeconds`', async () => {
  open({ leases: false, patienceSeconds: 20, keyServerAuth: () => new Promise<string>(() => {}) });
  video.readyState = 0;
  const loaded = load('master.m3u8');
  loaded.catch(() => {});
  await fake.clock.advance(19_000);
  expect(errors).toEqual([]);
  await fake.clock.advance(10_000);
  await expect(loaded).rejects.toMatchObject({ code: 'AUTH_FAILED' });
  expect(errors).toHaveLength(1);
});

it('a load that another one replaces while its lease is on its way does not end the other', async () => {
  const first = load('master.m3u8');
  first.catch(() => {});
  const second = load('live.m3u8');
  await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
  await second;
  await settle();
  expect([errors, video.src]).toEqual([[], `${base}/live.m3u8`]);
});

it('a native failure after a while makes the source again with a new credential, at the same place', async () => {
  await load('master.m3u8');
  await fake.clock.advance(40_000);
  video.currentTime = 38;
  video.error = { code: 2, message: 'key' };
  video.emit('error');
  await settle();
  expect(fake.to('POST /keys/leases/renew')).toHaveLength(1);
  expect(shownKey()).toMatch(/access_token=token-5&lease_id=lease-1$/);
  video.currentTime = 0;
  video.emit('loadedmetadata');
  expect(video.currentTime).toBe(38);
  expect(errors).toEqual([]);
});

it('a native failure has the key server’s reason if the key is refused', async () => {
  await load('master.m3u8');
  fake.answer('GET', () => problem(403, 'CONTENT_NOT_ENTITLED'));
  video.error = { code: 4, message: 'no' };
  video.emit('error');
  await settle();
  expect(errors).toMatchObject([{ code: 'CONTENT_NOT_ENTITLED' }]);
});

it('a native failure soon after another one is an error of the media', async () => {
  await load('master.m3u8');
  video.error = { code: 3, message: 'broken' };
  video.emit('error');
  await settle();
  expect(errors).toMatchObject([{ code: 'MEDIA_DECODE' }]);
});

it('a revoked lease keeps a native video paused', async () => {
  await load('master.m3u8');
  fake.answer('POST /keys/leases/renew', () => problem(403, 'LEASE_REVOKED'));
  await fake.clock.advance(75_000);
  expect(errors).toMatchObject([{ code: 'LEASE_REVOKED' }]);
  await video.play();
  expect(video.paused).toBe(true);
});
