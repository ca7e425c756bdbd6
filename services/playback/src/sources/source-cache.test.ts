import { createManualClock } from '@latchkey/shared/testing';
import { expect, it } from 'vitest';
import { rewriteAtOnce, writeAtOnce } from '../rewrite/rewrite.fixture.ts';
import type { FetchedText } from './fetch-source.ts';
import { createSlowPlaces } from './shared-fetch.ts';
import { createSourceCache } from './source-cache.ts';

const at = new URL('https://cdn.example/v.m3u8');
const live = '#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts';

function stage(answer: { text?: string; maxAgeSeconds?: number | null } = {}) {
  const clock = createManualClock();
  const fetched: string[] = [];
  const faults: string[] = [];
  let ends = 0;
  const source = { text: live, maxAgeSeconds: null as number | null, ...answer, fault: null as Error | null };
  const cache = createSourceCache({
    clock,
    onFault: (url, fault) => void faults.push(`${url.href} ${(fault as Error).message}`),
    places: createSlowPlaces(() => () => {}),
    roomBytes: 64 * 1024 * 1024,
    async fetchText(url): Promise<FetchedText> {
      fetched.push(url.href);
      await Promise.resolve();
      if (source.fault) throw source.fault;
      return { ...source, url, end: () => void ends++ };
    },
    rewrite: async (text, parent) =>
      rewriteAtOnce({ ...text, parent }, { mayFetch: () => true, toOwnKey: () => null }),
  });
  /** How long after a fetch the next one comes. */
  async function measureLifeMs(): Promise<number> {
    await cache.get(at, null);
    const before = fetched.length;
    for (let ms = 0; ms < 120_000; ms += 500) {
      clock.advance(500);
      await cache.get(at, null);
      if (fetched.length > before) return ms + 500;
    }
    return Number.POSITIVE_INFINITY;
  }
  return { clock, cache, fetched, faults, source, measureLifeMs, ends: () => ends };
}

const finished = `${live}\n#EXT-X-ENDLIST`;
const multivariant = '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8';

it.each([
  ['a live playlist whose source says nothing', live, null, 3_000],
  ['a live playlist that may be kept for 2 s', live, 2, 2_000],
  ['a live playlist that may not be kept', live, 0, 1_000],
  ['a live playlist that may be kept for an hour', live, 3_600, 6_000],
  ['a finished playlist whose source says nothing', finished, null, 60_000],
  ['a finished playlist that may be kept for an hour', finished, 3_600, 60_000],
  ['a finished playlist that may be kept for 5 s', finished, 5, 5_000],
  ['a multivariant playlist that may not be kept', multivariant, 0, 1_000],
])('%s is fetched again after its time', async (_, text, maxAgeSeconds, expectedMs) => {
  expect(await stage({ text, maxAgeSeconds }).measureLifeMs()).toBe(expectedMs);
});

it('a source that fails is called once a second, however many sessions ask, and serves again afterwards', async () => {
  const { cache, clock, fetched, source } = stage();
  source.fault = new Error('down');
  for (let n = 0; n < 100; n++) {
    await expect(cache.get(at, null)).rejects.toThrow('down');
    clock.advance(50);
  }
  expect(fetched.length).toBeLessThanOrEqual(6);
  source.fault = null;
  clock.advance(1_000);
  expect((await cache.get(at, null)).kind).toBe('media');
});

it('the names of the last text stay known while its source fails', async () => {
  const { cache, clock, source } = stage({ text: multivariant });
  const playlist = await cache.get(at, null);
  source.fault = new Error('down');
  clock.advance(120_000);
  await expect(cache.get(at, null)).rejects.toThrow();
  expect(cache.last(at)).toBe(playlist);
});

it('texts beyond the room displace the texts that were used longest ago', async () => {
  const long = `${finished}${`\n#${'x'.repeat(65_536)}`.repeat(16)}`;
  const { cache } = stage({ text: long });
  const urls = Array.from({ length: 100 }, (_, n) => new URL(`https://cdn.example/${n}.m3u8`));
  for (const url of urls) await cache.get(url, null);
  expect(cache.last(urls[0] as URL)).toBe(null);
  expect(cache.last(urls[99] as URL)).not.toBe(null);
  expect(urls.filter((url) => cache.last(url)).length).toBeGreaterThan(10);
});

it('a text takes its place until it is rewritten, or refused', async () => {
  const { cache, ends, source } = stage();
  await cache.get(at, null);
  expect(ends()).toBe(1);
  source.text = '<html>';
  await expect(cache.get(new URL('https://cdn.example/page'), null)).rejects.toThrow('#EXTM3U');
  expect(ends()).toBe(2);
});

it('what a playlist imports comes from the content that lists it, although two contents list the same URL', async () => {
  const { cache } = stage({
    text: '#EXTM3U\n#EXT-X-DEFINE:IMPORT="q"\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n{$q}.ts',
  });
  const parentAt = (url: string, value: string) => ({
    url: new URL(url),
    playlist: rewriteAtOnce(
      {
        text: `#EXTM3U\n#EXT-X-DEFINE:NAME="q",VALUE="${value}"\n#EXT-X-MEDIA:TYPE=AUDIO`,
        url: at,
        parent: null,
      },
      { mayFetch: () => true, toOwnKey: () => null },
    ),
  });
  const first = await cache.get(at, parentAt('https://cdn.example/1/index.m3u8', 'one'));
  const second = await cache.get(at, parentAt('https://cdn.example/2/index.m3u8', 'two'));
  expect([first, second].map((playlist) => /\w+\.ts/.exec(writeAtOnce(playlist, 'sid'))?.[0])).toEqual([
    'one.ts',
    'two.ts',
  ]);
});

it('a refresh fetches a text that may still be kept, but at most once a second', async () => {
  const { cache, clock, fetched } = stage({ text: multivariant });
  await cache.get(at, null);
  for (let n = 0; n < 100; n++) {
    await cache.refresh(at);
    clock.advance(50);
  }
  expect(fetched.length).toBeGreaterThan(1);
  expect(fetched.length).toBeLessThanOrEqual(6);
});
