import type Hls from 'hls.js';
import { expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';
import { FakeHls } from './testing/fake-browser.ts';
import { watchHls } from './watch-playback.ts';

function open() {
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
  const { hls, metrics } = open();
  hls.trigger('FRAG_LOADED', { frag: { stats: { loading: { start: 10, end: 110 } } }, part: null });
  const part = { stats: { loading: { start: 10, end: 30 } } };
  hls.trigger('FRAG_LOADED', { frag: { stats: { loading: { start: 0, end: 999 } } }, part });
  expect(metrics.read()).toMatchObject({ fragmentsLoaded: 2, avgFragLoadTime: 60 });
});

it('avgDecryptTime is the time in the worker without demuxing, once for sound and picture', () => {
  const { hls, metrics } = open();
  hls.trigger('BUFFER_APPENDING', { frag: encrypted, chunkMeta });
  hls.trigger('BUFFER_APPENDING', { frag: encrypted, chunkMeta });
  expect(metrics.read().avgDecryptTime).toBe(3);
});

it('a clear segment and the rest that is flushed after a segment do not count as decryption', () => {
  const { hls, metrics } = open();
  hls.trigger('BUFFER_APPENDING', { frag: { decryptdata: null }, chunkMeta: { ...chunkMeta } });
  hls.trigger('BUFFER_APPENDING', { frag: encrypted, chunkMeta: { ...chunkMeta, size: 0 } });
  expect(metrics.read().avgDecryptTime).toBe(0);
});

it('a level counts when it is shown, and nothing counts after the end', () => {
  const { hls, metrics, stop } = open();
  for (const level of [0, 1]) hls.trigger('LEVEL_SWITCHED', { level });
  stop();
  hls.trigger('LEVEL_SWITCHED', { level: 0 });
  expect(metrics.read().qualitySwitches).toBe(1);
});
