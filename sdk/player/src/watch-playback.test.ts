import type Hls from 'hls.js';
import { beforeEach, expect, it } from 'vitest';
import { createMetrics, type MetricsRecorder } from './metrics.ts';
import { asVideo, FakeHls, FakeVideo } from './testing/fake-browser.ts';
import { createManualClock, type ManualClock } from './testing/manual-clock.ts';
import { type VideoWatch, watchHls, watchVideo } from './watch-playback.ts';

let video: FakeVideo;
let clock: ManualClock;
let metrics: MetricsRecorder;
let watch: VideoWatch;
beforeEach(() => {
  video = new FakeVideo();
  clock = createManualClock();
  metrics = createMetrics(clock.now);
  metrics.begin();
  watch = watchVideo(asVideo(video), metrics);
  watch.begin();
});

it('the first frame counts when it is rendered, not when it is loaded', () => {
  clock.jump(100);
  video.emit('loadeddata', 'playing');
  expect(metrics.read().timeToFirstFrame).toBeNull();
  clock.jump(50);
  video.showFrame();
  expect(metrics.read().timeToFirstFrame).toBe(150);
});

it('the first frame of sound alone counts when it plays, and in a browser without frame callbacks when data is loaded', () => {
  video.videoWidth = 0;
  video.emit('playing');
  expect(metrics.read().timeToFirstFrame).toBe(0);
  const plain = createMetrics(() => 0);
  plain.begin();
  const target = Object.assign(new EventTarget(), { videoWidth: 640, ended: false });
  watchVideo(target as unknown as HTMLVideoElement, plain);
  target.dispatchEvent(new Event('loadeddata'));
  expect(plain.read().timeToFirstFrame).toBe(0);
});

it('a buffer that runs empty while playing counts as one stall until it plays again', () => {
  video.emit('waiting', 'playing', 'waiting', 'waiting', 'playing', 'waiting');
  expect(metrics.read().stallCount).toBe(2);
});

it('the start, a seek, a pause and the end do not count as stalls', () => {
  video.emit('waiting', 'playing', 'seeking', 'waiting', 'playing', 'pause', 'waiting', 'playing');
  video.ended = true;
  video.emit('waiting');
  expect(metrics.read().stallCount).toBe(0);
});

it('no figure changes after the end', () => {
  watch.stop();
  video.emit('playing', 'waiting');
  video.showFrame();
  expect(metrics.read()).toMatchObject({ stallCount: 0, timeToFirstFrame: null });
});

function openHls() {
  const hls = new FakeHls();
  const metrics = createMetrics(() => 0);
  const stop = watchHls(hls as unknown as Hls, metrics);
  return { hls, metrics, stop };
}
const encrypted = { decryptdata: { key: new Uint8Array(16) } };
/** Sent to the worker at 100 and back at 112 by the page's clock. Demuxing took 9 ms by the worker's clock. */
const chunkMeta = {
  size: 1_000,
  transmuxing: { start: 100, executeStart: 7_003, executeEnd: 7_012, end: 112 },
};

it('avgFragLoadTime counts from the request of a segment to its last byte, and for a part its own times', () => {
  const { hls, metrics } = openHls();
  hls.trigger('FRAG_LOADED', { frag: { stats: { loading: { start: 10, end: 110 } } }, part: null });
  const part = { stats: { loading: { start: 10, end: 30 } } };
  hls.trigger('FRAG_LOADED', { frag: { stats: { loading: { start: 0, end: 999 } } }, part });
  expect(metrics.read()).toMatchObject({ fragmentsLoaded: 2, avgFragLoadTime: 60 });
});

it('avgDecryptTime is the time in the worker without demuxing, once for sound and picture', () => {
  const { hls, metrics } = openHls();
  hls.trigger('BUFFER_APPENDING', { frag: encrypted, chunkMeta });
  hls.trigger('BUFFER_APPENDING', { frag: encrypted, chunkMeta });
  expect(metrics.read().avgDecryptTime).toBe(3);
});

it('a clear segment and the rest that is flushed after a segment do not count as decryption', () => {
  const { hls, metrics } = openHls();
  hls.trigger('BUFFER_APPENDING', { frag: { decryptdata: null }, chunkMeta: { ...chunkMeta } });
  hls.trigger('BUFFER_APPENDING', { frag: encrypted, chunkMeta: { ...chunkMeta, size: 0 } });
  expect(metrics.read().avgDecryptTime).toBe(0);
});

it('a level counts when it is shown, and nothing counts after the end', () => {
  const { hls, metrics, stop } = openHls();
  for (const level of [0, 1]) hls.trigger('LEVEL_SWITCHED', { level });
  stop();
  hls.trigger('LEVEL_SWITCHED', { level: 0 });
  expect(metrics.read().qualitySwitches).toBe(1);
});
