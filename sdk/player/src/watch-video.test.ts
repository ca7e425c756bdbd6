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

it('the first frame is the first that is rendered, not the first that is there', () => {
  clock.jump(100);
  video.tell('loadeddata', 'playing');
  expect(metrics.read().timeToFirstFrame).toBeNull();
  clock.jump(50);
  video.showFrame();
  expect(metrics.read().timeToFirstFrame).toBe(150);
});

it('sound alone counts from its playing, and a browser that tells no frames from its data', () => {
  video.videoWidth = 0;
  video.tell('playing');
  expect(metrics.read().timeToFirstFrame).toBe(0);
  const plain = createMetrics(() => 0);
  plain.begin();
  const target = Object.assign(new EventTarget(), { videoWidth: 640, ended: false });
  watchVideo(target as unknown as HTMLVideoElement, plain);
  target.dispatchEvent(new Event('loadeddata'));
  expect(plain.read().timeToFirstFrame).toBe(0);
});

it('a stall is a buffer that ran empty while playing, once until it plays again', () => {
  video.tell('waiting', 'playing', 'waiting', 'waiting', 'playing', 'waiting');
  expect(metrics.read().stallCount).toBe(2);
});

it('the start, a seek, a pause and the end are no stalls', () => {
  video.tell('waiting', 'playing', 'seeking', 'waiting', 'playing', 'pause', 'waiting', 'playing');
  video.ended = true;
  video.tell('waiting');
  expect(metrics.read().stallCount).toBe(0);
});

it('nothing is heard after the end', () => {
  watch.stop();
  video.tell('playing', 'waiting');
  video.showFrame();
  expect(metrics.read()).toMatchObject({ stallCount: 0, timeToFirstFrame: null });
});
