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

it('the longest epoch is that of the playlist, and the last epoch may be shorter', async () => {
  expect(await epochsOf({ 'f.m3u8': playlistOf(repeat(25, 6.006)) }, 10)).toEqual([
    { contentId: 'film', epochs: { count: 3, longestMs: 60_060, speed: 2 } },
  ]);
});

it('a presentation with one key throughout has no epochs', async () => {
  expect(await epochsOf({ 'f.m3u8': playlistOf([2, 2]) }, undefined)).toEqual([
    { contentId: 'film', epochs: null },
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

it('uneven epochs get the speed that playback at double speed needs', async () => {
  // Epochs of 1 s and of 5 s in turn: 3 s on average, while the longest has 5 s.
  const [content] = await epochsOf({ 'f.m3u8': playlistOf([3, ...repeat(50, 1, 5), 3]) }, 1);
  expect(content?.epochs).toEqual({ count: 102, longestMs: 5_000, speed: 3.34 });
});

it('renditions that change keys together count once, and one that drifts away counts too', async () => {
  const [near] = await epochsOf(
    {
      'm.m3u8': master('v', 'a'),
      'v.m3u8': playlistOf(repeat(100, 4)),
      'a.m3u8': playlistOf(repeat(101, 3.96)),
    },
    1,
  );
  expect(near?.epochs).toEqual({ count: 101, longestMs: 4_000, speed: 2 });
  const [far] = await epochsOf(
    { 'm.m3u8': master('v', 'a'), 'v.m3u8': playlistOf(repeat(100, 4)), 'a.m3u8': playlistOf(repeat(50, 8)) },
    1,
  );
  // In 8 s the picture needs two keys and the sound one, at double speed twice as many.
  expect(far?.epochs).toEqual({ count: 100, longestMs: 8_000, speed: 6 });
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
