import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LeaseOptions } from './player-options.ts';
import { shakaRequestFilter } from './shaka.ts';
import { asVideo, type FakeVideo } from './testing/fake-browser.ts';
import { type FakeKeyServer, keyUrl, problem } from './testing/fake-key-server.ts';
import { settle } from './testing/manual-clock.ts';
import { createPlayerScene, load, type PlayerScene } from './testing/player-scene.ts';

let scene: PlayerScene;
let fake: FakeKeyServer;
let video: FakeVideo;
beforeEach(() => {
  scene = createPlayerScene();
  ({ fake, video } = scene);
});
afterEach(() => vi.unstubAllGlobals());

/** A video that plays under `lease-1`. */
async function play(leases?: LeaseOptions) {
  const opened = scene.open(leases && { leases });
  await load(opened.player);
  await video.play();
  return opened;
}
function pause(): void {
  video.paused = true;
  video.emit('pause');
}
/** As a browser does. */
function end(): void {
  pause();
  video.ended = true;
  video.emit('ended');
}
const released = () => fake.to('POST /keys/leases/revoke').map(({ json, token }) => [json?.leaseId, token]);

describe('a video that has ended', () => {
  it('a video that has ended takes no lease when the page returns, but when it is played', async () => {
    const { player } = await play();
    end();
    await settle();
    scene.leave('pagehide');
    scene.leave('pageshow', { persisted: true });
    await settle();
    expect(player.lease).toBeNull();
    await video.play();
    await settle();
    expect(player.lease?.id).toBe('lease-2');
  });

  it('a video that is played again takes its lease after the release of the old one, however slow the server is', async () => {
    const { player } = await play();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    fake.answer('POST /keys/leases/revoke', () =>
      answered.then(() => Response.json({ revoked: 1, leases: [] })),
    );
    end();
    await video.play();
    await fake.clock.advance(7_000);
    expect(fake.to('POST').map(({ path }) => path)).toEqual(['/keys/leases', '/keys/leases/revoke']);
    answer();
    await settle();
    expect(player.lease?.id).toBe('lease-2');
  });

  it('a video plays again although the release of its lease was never answered', async () => {
    const { player } = await play();
    const silent = fake.answer('POST /keys/leases/revoke', () => new Promise(() => {}));
    end();
    await fake.clock.advance(10_000);
    silent.restore();
    await video.play();
    await settle();
    expect(player.lease?.id).toBe('lease-2');
  });
});

describe('a video that is paused', () => {
  it('a paused video releases its lease at once with releaseAfterPausedSeconds: 0', async () => {
    const { player } = await play({ releaseAfterPausedSeconds: 0 });
    pause();
    await fake.clock.advance(1);
    expect(player.lease).toBeNull();
  });

  it('a paused video keeps its lease with releaseAfterPausedSeconds: Infinity, and if it is played in time', async () => {
    const { player } = await play({ releaseAfterPausedSeconds: Number.POSITIVE_INFINITY });
    pause();
    await fake.clock.advance(10_000_000);
    expect(player.lease?.id).toBe('lease-1');
    await player.destroy();
    const again = await play();
    for (const _ of [1, 2, 3]) {
      pause();
      await fake.clock.advance(100_000);
      await video.play();
      await fake.clock.advance(100_000);
    }
    expect(released()).toHaveLength(1);
    expect(again.player.lease).not.toBeNull();
  });

  it('a video that is never played releases its lease too', async () => {
    video.paused = true;
    video.play = async () => {};
    const { player } = await play();
    await fake.clock.advance(121_000);
    expect(player.lease).toBeNull();
  });

  it('a paused video takes a lease for a key that a seek needs, and releases it later', async () => {
    const { player, hls } = await play();
    pause();
    await fake.clock.advance(121_000);
    expect(await hls.askForKey(keyUrl(7))).toBe(7);
    expect(fake.to('GET')).toMatchObject([{ leaseId: 'lease-2' }]);
    await fake.clock.advance(121_000);
    expect([player.lease, released().length]).toEqual([null, 2]);
  });

  it('a paused video without a lease fetches no key ahead, which would take another lease', async () => {
    const { hls } = await play();
    hls.levels = [
      { details: { fragments: [0, 1].map((epoch, sn) => ({ sn, decryptdata: { uri: keyUrl(epoch) } })) } },
    ];
    pause();
    await fake.clock.advance(121_000);
    const stats = { loading: { start: 0, end: 1 } };
    hls.trigger('FRAG_LOADED', { frag: { type: 'main', level: 0, sn: 0, duration: 1, stats } });
    await fake.clock.advance(2_000);
    expect(fake.to('GET')).toEqual([]);
  });

  it('destroy during a pause leaves no timer', async () => {
    const { player } = await play();
    pause();
    await player.destroy();
    const before = fake.requests.length;
    await video.play();
    end();
    await fake.clock.advance(600_000);
    expect(fake.requests).toHaveLength(before);
  });
});

describe('Shaka’s filter', () => {
  const key = (epoch: number) => ({ uris: [keyUrl(epoch)], headers: {} as Record<string, string> });

  it('Shaka’s filter with a video releases the lease at its end, and takes another when it is played', async () => {
    const filter = shakaRequestFilter({ ...fake.options, video: asVideo(video) });
    await filter(6, key(0));
    end();
    await settle();
    expect(released()).toHaveLength(1);
    await video.play();
    await filter(6, key(1));
    expect(fake.to('GET').map(({ leaseId }) => leaseId)).toEqual(['lease-1', 'lease-2']);
    await filter.release();
    expect(released().map(([id]) => id)).toEqual(['lease-1', 'lease-2']);
  });

  it('Shaka’s filter takes no lease after one was revoked, until release()', async () => {
    const filter = shakaRequestFilter({ ...fake.options, video: asVideo(video) });
    await filter(6, key(0));
    const refusing = fake.answer('POST /keys/leases/renew', () => problem(403, 'LEASE_REVOKED'));
    await fake.clock.advance(75_000);
    refusing.restore();
    pause();
    await fake.clock.advance(121_000);
    await video.play();
    await expect(filter(6, key(1))).rejects.toMatchObject({ code: 'LEASE_REVOKED' });
    expect(fake.to('POST /keys/leases').filter(({ path }) => path === '/keys/leases')).toHaveLength(1);
  });
});
