import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Player } from './player.ts';
import type { PlayerError } from './player-error.ts';
import type { FakeHls, FakeVideo } from './testing/fake-browser.ts';
import { type FakeKeyServer, keyUrl, problem, problemForNow } from './testing/fake-key-server.ts';
import { createPlayerScene, load } from './testing/player-scene.ts';

let fake: FakeKeyServer;
let video: FakeVideo;
let errors: PlayerError[];
let open: (random: number) => Promise<{ player: Player; hls: FakeHls }>;
beforeEach(() => {
  const scene = createPlayerScene();
  ({ fake, video, errors } = scene);
  open = async (random) => {
    const opened = scene.open({ random: () => random });
    await load(opened.player);
    return opened;
  };
});
afterEach(() => vi.unstubAllGlobals());

const segmentSeconds = 2;
const periodSeconds = 12;
/** The random number with which a key is fetched one second before the end of its period: the last three fifths are 7.2 s. */
const oneSecond = 5 / 36;
const segmentsOfPeriod = periodSeconds / segmentSeconds;
/** The segment with this number. Six of them share a key. */
const segment = (sn: number, contentId = 'film') => ({
  ...{ sn, type: 'main', level: 0, start: sn * segmentSeconds, duration: segmentSeconds },
  stats: { loading: { start: 0, end: 1 } },
  decryptdata: { uri: keyUrl(Math.floor(sn / segmentsOfPeriod), contentId) },
});
const segments = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => segment(from + index));
const keyPaths = () => fake.to('GET').map(({ path }) => path);
const second = 1_000;

describe('on demand', () => {
  const fragments = segments(0, 23);

  it.each([
    [0, 12],
    [0.5, 8.4],
    [0.95, 5.16],
  ])(
    'with the random number %d, the next key is fetched when the playhead of a period of 12 s is at %d s',
    async (random, atSeconds) => {
      const { hls } = await open(random);
      hls.levels = [{ details: { fragments } }];
      for (const frag of fragments.slice(0, segmentsOfPeriod)) {
        video.currentTime = frag.start;
        hls.trigger('FRAG_CHANGED', { frag });
        const left = Math.max(0, Math.min(atSeconds - frag.start, segmentSeconds)) * second;
        await fake.clock.advance(left - 1);
        if (frag.start < atSeconds) expect(keyPaths()).toEqual([]);
        await fake.clock.advance(segmentSeconds * second - left + 1);
      }
      expect(keyPaths()).toEqual(['/keys/film/1']);
      expect(await hls.askForKey(keyUrl(1))).toBe(1);
      expect(fake.to('GET')).toHaveLength(1);
    },
  );

  it('a playhead that moves twice as fast fetches the next key in half the time', async () => {
    const { hls } = await open(oneSecond);
    hls.levels = [{ details: { fragments } }];
    video.playbackRate = 2;
    video.currentTime = 10;
    hls.trigger('FRAG_CHANGED', { frag: segment(5) });
    await fake.clock.advance(499);
    expect(keyPaths()).toEqual([]);
    await fake.clock.advance(1);
    expect(keyPaths()).toEqual(['/keys/film/1']);
  });

  it('a key that is refused for the pace is not fetched ahead again before Retry-After, and that is no error', async () => {
    const { hls } = await open(0.99);
    hls.levels = [{ details: { fragments } }];
    fake.answer('GET', () => problemForNow(30, 429, 'KEY_PACE_EXCEEDED'));
    for (const sn of [4, 5, 10, 11]) {
      video.currentTime = sn * segmentSeconds;
      hls.trigger('FRAG_CHANGED', { frag: segment(sn) });
      await fake.clock.advance(2 * second);
    }
    expect(keyPaths()).toEqual(['/keys/film/1']);
    expect(errors).toEqual([]);
  });
});

describe('live', () => {
  /** hls.js keeps each key. */
  let keysOfHls: Set<string>;
  beforeEach(() => {
    keysOfHls = new Set();
  });
  /** The playlist is read again, and its last segment has this number. */
  async function update(hls: FakeHls, sn: number, windowSegments = 4) {
    const details = {
      live: true,
      targetduration: segmentSeconds,
      fragments: segments(sn - windowSegments + 1, sn),
    };
    hls.latestLevelDetails = details;
    hls.levels = [{ details }];
    hls.trigger('LEVEL_UPDATED', { details });
    // As soon as a segment is listed, hls.js loads it with its key.
    const { uri } = segment(sn).decryptdata;
    if (keysOfHls.has(uri)) return;
    keysOfHls.add(uri);
    await hls.askForKey(uri, video.currentTime);
  }
  /** Shows each of these segments at its end. */
  async function show(hls: FakeHls, from: number, to: number, needed = true) {
    for (let sn = from; sn <= to; sn += 1) {
      if (needed) await update(hls, sn);
      else
        hls.trigger('LEVEL_UPDATED', {
          details: { live: true, targetduration: 2, fragments: segments(sn - 3, sn) },
        });
      await fake.clock.advance(segmentSeconds * second);
    }
  }

  it.each([
    [0.75, 5.4],
    [oneSecond, 1],
  ])(
    'with the random number %d, the key of the next period is fetched %d s before that period, although no playlist names it',
    async (random, beforeSeconds) => {
      const { hls } = await open(random);
      // The periods begin with the segments 6, 12 and 18. Two of these show how long one is.
      await show(hls, 5, 15);
      const { length } = keyPaths();
      const begunMs = fake.clock.now();
      // At the end of segment 16, which is 34 s.
      await update(hls, 16);
      const untilMs = (36 - beforeSeconds - 34) * second;
      if (untilMs > 0) {
        await fake.clock.advance(untilMs - 1);
        expect(keyPaths()).toHaveLength(length);
      }
      await fake.clock.advance(Math.max(0, begunMs + Math.max(untilMs, 0) - fake.clock.now()));
      expect(keyPaths().filter((path) => path === '/keys/film/3')).toHaveLength(1);
      // hls.js gets it at once, without a request of its own.
      await show(hls, 17, 19);
      expect(keyPaths()).toEqual([0, 1, 2, 3].map((epoch) => `/keys/film/${epoch}`));
      expect(errors).toEqual([]);
    },
  );

  it('a playlist that is read again before it has a new segment does not put the request off', async () => {
    const { hls } = await open(oneSecond);
    await show(hls, 5, 15);
    // 34 s are finished, and the request is due at 35 s.
    await update(hls, 16);
    await fake.clock.advance(900);
    await update(hls, 16);
    expect(keyPaths()).not.toContain('/keys/film/3');
    await fake.clock.advance(100);
    expect(keyPaths()).toContain('/keys/film/3');
  });

  it('a server that serves no period ahead refuses one request, and then each next key is fetched once its period has begun', async () => {
    const { hls } = await open(0.5);
    const servedMs = (epoch: number) => epoch * periodSeconds * second + beginMs;
    const beginMs = fake.clock.now() - 5 * segmentSeconds * second;
    fake.answer('GET', ({ path }) => {
      const epoch = Number(path.split('/').at(-1));
      const leftMs = servedMs(epoch) - fake.clock.now();
      if (leftMs <= 0) return new Response(new Uint8Array(16).fill(epoch));
      const opensAt = new Date(fake.clock.wallNow() + leftMs).toISOString();
      return problemForNow(Math.ceil(leftMs / second), 403, 'EPOCH_NOT_YET', {
        opensAt,
        currentEpoch: epoch - 1,
      });
    });
    // A segment is in the playlist at its end.
    await fake.clock.advance(segmentSeconds * second);
    await show(hls, 5, 29);
    const asked = keyPaths().map((path) => Number(path.split('/').at(-1)));
    expect(asked).toEqual([0, 1, 2, 3, 3, 4, 5]);
    expect(errors).toEqual([]);
  });

  it('a viewer who watches an earlier part of the stream fetches no key of its end', async () => {
    const { hls } = await open(0.5);
    await show(hls, 5, 13);
    await show(hls, 14, 40, false);
    // The viewer left in period 2. The keys of the two periods that followed may have been fetched.
    expect(keyPaths().map((path) => Number(path.split('/').at(-1)))).toEqual([0, 1, 2, 3, 4]);
  });

  it.each([
    [403, 'EPOCH_NOT_YET'],
    [404, 'EPOCH_NOT_FOUND'],
    [400, 'VALIDATION_FAILED'],
  ])('a next key that does not exist (%d %s) is not an error', async (status, code) => {
    const { hls } = await open(0.5);
    fake.answer('GET /keys/film/3', () => problem(status, code));
    await show(hls, 5, 17);
    expect(keyPaths()).toContain('/keys/film/3');
    expect(errors).toEqual([]);
  });

  it('a next key that is refused because the viewer was revoked ends playback', async () => {
    const { hls } = await open(0.5);
    fake.answer('GET /keys/film/3', () => problem(403, 'LEASE_REVOKED'));
    await show(hls, 5, 17);
    expect(errors).toMatchObject([{ code: 'LEASE_REVOKED' }]);
    expect(keyPaths().filter((path) => path.endsWith('/3'))).toHaveLength(1);
  });

  it('a key whose URL names no epoch, or that never changes, is not followed by a guess', async () => {
    const { hls } = await open(0.5);
    const fragments = segments(0, 40).map((each) => ({ ...each, decryptdata: { uri: keyUrl(0) } }));
    await hls.askForKey(keyUrl(0));
    for (const last of [10, 20, 30, 40]) {
      const details = { live: true, targetduration: 2, fragments: fragments.slice(last - 10, last) };
      hls.trigger('LEVEL_UPDATED', { details });
      await fake.clock.advance(20 * second);
    }
    expect(keyPaths()).toEqual(['/keys/film/0']);
  });

  it('after the end of playback no key is fetched ahead', async () => {
    const { player, hls } = await open(0.25);
    await show(hls, 5, 16);
    const { length } = keyPaths();
    await player.destroy();
    await fake.clock.advance(60 * second);
    expect(keyPaths()).toHaveLength(length);
  });
});
