import type Hls from 'hls.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { attach } from './player.ts';
import type { PlayerError } from './player-error.ts';
import { FakeHls, type FakeVideo } from './testing/fake-browser.ts';
import { type FakeKeyServer, keyUrl } from './testing/fake-key-server.ts';
import { settle } from './testing/manual-clock.ts';
import { createPlayerScene, load, type PlayerScene, playlist } from './testing/player-scene.ts';

let fake: FakeKeyServer;
let video: FakeVideo;
let errors: PlayerError[];
let open: PlayerScene['open'];
beforeEach(() => {
  ({ fake, video, errors, open } = createPlayerScene());
});
afterEach(() => vi.unstubAllGlobals());

describe('the key of the next period', () => {
  it('the next key of a live stream is requested within a quarter of the buffer, so that viewers in step do not request in step', async () => {
    const { player, hls } = open({ random: () => 0.5 });
    await load(player);
    hls.latestLevelDetails = { live: true };
    video.currentTime = 100;
    hls.askForKey(keyUrl(1), 108);
    await fake.clock.advance(999);
    expect(fake.to('GET')).toEqual([]);
    await fake.clock.advance(1);
    expect(fake.to('GET')).toHaveLength(1);
  });
});

describe('hls.js itself', () => {
  const fatal = { fatal: true, error: new Error('broken'), details: 'some' };

  it('a fatal error of hls.js over playlists or segments ends playback, and one over media is recovered from once', async () => {
    const { player, hls } = open();
    await load(player);
    hls.trigger('ERROR', { ...fatal, type: 'networkError', fatal: false });
    hls.trigger('ERROR', { ...fatal, type: 'mediaError' });
    expect(errors).toEqual([]);
    expect(hls.calls.at(-1)).toBe('recover');
    hls.trigger('ERROR', { ...fatal, type: 'mediaError' });
    expect(errors).toMatchObject([{ code: 'MEDIA_DECODE' }]);
    await load(player);
    hls.trigger('ERROR', { ...fatal, type: 'networkError', response: { code: 404 } });
    expect(errors).toMatchObject([{}, { code: 'MEDIA_NETWORK', status: 404 }]);
  });

  it('after an error the same playlist goes on where playback was, unless it is live', async () => {
    const { player, hls } = open({ hlsConfig: { startPosition: 30 } });
    const fail = () => hls.trigger('ERROR', { ...fatal, type: 'networkError' });
    const started: number[] = [];
    const loadFilm = async (url: string) => {
      const loaded = player.load(url, { contentId: 'film' });
      hls.trigger('MANIFEST_PARSED');
      await loaded;
      started.push(hls.startedAt);
    };
    await loadFilm(playlist);
    video.currentTime = 90;
    fail();
    await loadFilm(`${playlist}?token=anew`);
    await loadFilm(playlist);
    fail();
    await loadFilm('https://cdn.example/sequel/master.m3u8');
    hls.latestLevelDetails = { live: true };
    fail();
    await loadFilm('https://cdn.example/sequel/master.m3u8');
    expect(started).toEqual([30, 90, 30, 30, 30]);
  });
});

describe('attach', () => {
  it('attach serves an application that calls hls.loadSource itself, with a lease for the content of the first key', async () => {
    const hls = new FakeHls();
    const player = attach(hls as unknown as Hls, fake.options);
    hls.attachMedia(video);
    hls.loadSource(playlist);
    expect(await hls.askForKey(keyUrl(3, 'other-film'))).toBe(3);
    expect(fake.to('POST /keys/leases')).toMatchObject([{ json: { contentId: 'other-film' } }]);
    expect(fake.to('GET')).toMatchObject([{ leaseId: 'lease-1' }]);
    expect(player.getMetrics().keyFetchCount).toBe(1);
    hls.destroy();
    await settle();
    expect(fake.to('POST /keys/leases/revoke')).toHaveLength(1);
  });

  it('destroy() restores the attached instance of hls.js', async () => {
    const hls = new FakeHls();
    const { loader } = hls.config;
    const player = attach(hls as unknown as Hls, fake.options);
    expect(hls.config.loader).not.toBe(loader);
    await player.destroy();
    expect(hls.config.loader).toBe(loader);
    expect(hls.calls).toEqual([]);
  });
});
