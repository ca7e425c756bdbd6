import { beforeEach, expect, it } from 'vitest';
import { createMetrics, type MetricsRecorder } from './metrics.ts';
import { asVideo, FakeVideo } from './testing/fake-browser.ts';
import { createManualClock, type ManualClock } from './testing/manual-clock.ts';
import { type VideoWatch, watchVideo } from './watch-playback.ts';

let video: FakeVideo;
let clock: ManualClock;
let metrics: MetricsRecorder;
let watch: VideoWatch;
function open() {
  clock = createManualClock();
  metrics = createMetrics(clock.now);
  metrics.begin();
  watch = watchVideo(asVideo(video), metrics);
  watch.begin();
}
beforeEach(() => {
  video = new FakeVideo();
  open();
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
