import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encryptFiles } from '../testing/encrypt-files.ts';

const playlistOf = (durations: readonly number[], head = '') =>
  ['#EXTM3U', head, ...durations.flatMap((seconds) => [`#EXTINF:${seconds},`, 'a.ts']), '#EXT-X-ENDLIST']
    .filter((line) => line !== '')
    .join('\n');
const repeat = (times: number, ...durations: number[]) => Array(times).fill(durations).flat() as number[];

async function epochsOf(files: Record<string, string>, rotateEverySegments: number | undefined, more = {}) {
  const all = { 'a.ts': 'a', ...files };
  const { contents } = await encryptFiles(all, Object.keys(files)[0] ?? '', { rotateEverySegments, ...more });
  return contents;
}

const master = (...names: string[]) =>
  ['#EXTM3U', ...names.flatMap((name) => ['#EXT-X-STREAM-INF:BANDWIDTH=1', `${name}.m3u8`])].join('\n');

it('longestMs is the longest epoch of the playlist, and the last epoch may be shorter', async () => {
  expect(await epochsOf({ 'f.m3u8': playlistOf(repeat(25, 6.006)) }, 10)).toEqual([
    { contentId: 'film', epochs: { count: 3, longestMs: 60_060, speed: 2 } },
  ]);
});

it('the count reaches the last epoch where EXT-X-MEDIA-SEQUENCE begins late', async () => {
  const text = playlistOf(repeat(4, 2), '#EXT-X-MEDIA-SEQUENCE:1000');
  expect((await epochsOf({ 'f.m3u8': text }, 2))[0]?.epochs).toEqual({
    count: 502,
    longestMs: 4_000,
    speed: 2,
  });
});

it('epochs that differ in length by little get the usual speed', async () => {
  const [content] = await epochsOf({ 'f.m3u8': playlistOf([2, ...repeat(60, 5.9, 6.1), 1]) }, 1);
  expect(content?.epochs).toEqual({ count: 122, longestMs: 6_100, speed: 2 });
});

it('a stretch of short epochs, however far from the average, gets the speed that playback at double speed needs', async () => {
  const films = [repeat(300, 1), repeat(300, 10)];
  for (const durations of [films.flat(), films.toReversed().flat()]) {
    const [content] = await epochsOf({ 'f.m3u8': playlistOf(durations) }, 1);
    const { speed = 0, ...rest } = content?.epochs ?? {};
    expect(rest).toEqual({ count: 600, longestMs: 10_000 });
    // Two keys a second are twenty in each period, of which the burst pays for few.
    expect(speed).toBeGreaterThan(19);
    expect(speed).toBeLessThanOrEqual(20);
  }
});

it('the speed is the smallest at which no interval of playback at double speed needs more than half a burst and what comes back', async () => {
  const durations = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(durations, async (tenths) => {
      const seconds = tenths.map((tenth) => tenth / 10);
      const [content] = await epochsOf({ 'f.m3u8': playlistOf(seconds) }, 1);
      const { speed = 0, longestMs = 0 } = content?.epochs ?? {};
      const burst = Math.max(8, Math.ceil(120_000 / longestMs));
      const isEnough = (each: number) =>
        seconds.every((_, first) => {
          let elapsed = 0;
          return seconds.slice(first).every((length, index) => {
            const paid = burst / 2 + (each / (longestMs / 1_000)) * elapsed;
            elapsed += length / 2;
            return index + 1 <= paid + 1e-4;
          });
        });
      expect(isEnough(speed)).toBe(true);
      if (speed > 2) expect(isEnough(speed - 0.011)).toBe(false);
    }),
    { numRuns: 40 },
  );
});

it('renditions that change keys together need one pace, and sound that drifts far away needs more', async () => {
  const needed = async (picture: number[], sound: number[]) => {
    const files = { 'm.m3u8': master('v', 'a'), 'v.m3u8': playlistOf(picture), 'a.m3u8': playlistOf(sound) };
    return (await epochsOf(files, 1))[0]?.epochs;
  };
  expect(await needed(repeat(100, 4), repeat(101, 3.96))).toEqual({ count: 101, longestMs: 4_000, speed: 2 });
  // In 8 s of double speed the picture needs four keys. The sound needs the same ones, lately given, and later others.
  expect((await needed(repeat(40, 4), repeat(20, 8)))?.speed).toBeLessThanOrEqual(4);
  const far = (await needed(repeat(600, 4), repeat(300, 8)))?.speed ?? 0;
  expect([far > 5, far <= 6]).toEqual([true, true]);
});

it('with an id for each rendition, each content has its own epochs', async () => {
  const files = { 'm.m3u8': master('v', 'a'), 'v.m3u8': playlistOf([4, 4]), 'a.m3u8': playlistOf([8]) };
  expect(await epochsOf(files, 1, { perRenditionIds: true })).toEqual([
    { contentId: 'film-v', epochs: { count: 2, longestMs: 4_000, speed: 2 } },
    { contentId: 'film-a', epochs: { count: 1, longestMs: 8_000, speed: 2 } },
  ]);
});

it('a playlist without durations has epochs of a millisecond, since a period is longer than zero', async () => {
  const [content] = await epochsOf({ 'f.m3u8': playlistOf(repeat(4, 0)) }, 1);
  expect(content?.epochs).toEqual({ count: 4, longestMs: 1, speed: 2 });
});
