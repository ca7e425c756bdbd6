import { describe, expect, it } from 'vitest';
import { hostileTexts, makeHostileText, toOwnKey } from './hostile-texts.fixture.ts';
import { PlaylistFault } from './playlist-fault.ts';
import { rewriteAtOnce } from './rewrite.fixture.ts';
import { rewritePlaylist } from './rewrite-playlist.ts';

const rules = { mayFetch: () => true, toOwnKey };
const rewrite = (body: string, url = 'https://cdn.example/v.m3u8') =>
  rewriteAtOnce({ text: `#EXTM3U\n${body}`, url: new URL(url), parent: null }, rules);

it('a short text that would become a huge one is refused', () => {
  const far = `https://cdn.example/${'x'.repeat(8_000)}/v.m3u8`;
  const segments = `#EXT-X-TARGETDURATION:6\n${'#EXTINF:6,\na\n'.repeat(20_000)}`;
  expect(() => rewrite(segments, far)).toThrow('16 MiB');
  const define = `#EXT-X-TARGETDURATION:6\n#EXT-X-DEFINE:NAME="x",VALUE="${'y'.repeat(60_000)}"\n`;
  expect(() => rewrite(`${define}#EXTINF:6,\n${'{$x}'.repeat(10_000)}`)).toThrow('too long');
  expect(() => rewrite(`${define}#EXTINF:6,\n${'x'.repeat(80_000)}`)).toThrow('too long');
  // Reports of renditions that are not listed are left out. Their URLs count nevertheless.
  const reports = '#EXT-X-RENDITION-REPORT:URI="{$x}"\n'.repeat(1_000);
  expect(() => rewrite(define + reports)).toThrow('16 MiB');
});

it('a text of a million lines is refused before they are rewritten, and a live playlist of a day is not', () => {
  expect(() => rewrite(`#EXT-X-TARGETDURATION:6\n${'a\n'.repeat(1_000_000)}`)).toThrow('400,000 lines');
  const key = '#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/keys/film/1",IV=0x1';
  const day = `${key}\n#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z\n#EXTINF:2,\n1.ts\n`.repeat(43_200);
  expect(rewrite(`#EXT-X-TARGETDURATION:2\n${day}`).kind).toBe('media');
});

it('a line that is longer than any URL is refused before it is read', () => {
  expect(() => rewrite(`#EXT-X-TARGETDURATION:6\n${'a'.repeat(131_073)}\n`)).toThrow(
    'line 3: it has a line that is too long',
  );
});

it('a list of more playlists than any content has is refused', () => {
  const variants = Array.from({ length: 1_001 }, (_, n) => `#EXT-X-STREAM-INF:BANDWIDTH=1\n${n}.m3u8`);
  expect(() => rewrite(variants.join('\n'))).toThrow('1,000');
  expect(rewrite(variants.slice(1).join('\n')).children.size).toBe(1_000);
});

it('the reason why a playlist is refused is short, however long its lines are', () => {
  const name = 'a'.repeat(60_000);
  for (const line of [
    `{$${name}}`,
    `#EXT-X-DEFINE:IMPORT="${name}"`,
    `#EXT-X-KEY:${name}=1,${name}=2,URI="a"`,
  ]) {
    let reason = '';
    try {
      rewrite(`#EXT-X-TARGETDURATION:6\n${line}`);
    } catch (fault) {
      reason = (fault as Error).message;
    }
    expect(reason.length).toBeGreaterThan(0);
    expect(reason.length).toBeLessThan(200);
  }
});

const mebibyte = 1024 * 1024;

/** Rewrites a text to its end, or to its refusal. */
function work(text: string): { steps: number; isRefused: boolean } {
  const url = new URL('https://cdn.example/v.m3u8?z=1');
  let steps = 0;
  try {
    for (const _ of rewritePlaylist({ text, url, parent: null }, rules)) steps++;
    return { steps, isRefused: false };
  } catch (fault) {
    expect(fault).toBeInstanceOf(PlaylistFault);
    return { steps, isRefused: true };
  }
}

/** Below some milliseconds, the collection of garbage counts more than the text. */
const leastMs = 4;
/** By the square, sixteen times the length would take 256 times as long. */
const mostGrowth = 64;

/** The shortest of several times of this process on a processor: what else the machine does counts little. One that is short enough ends it. */
function measureMs(text: string, shortEnoughMs: number): number {
  let shortestMs = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 4 && shortestMs >= shortEnoughMs; time++) {
    const before = process.cpuUsage();
    work(text);
    const { user, system } = process.cpuUsage(before);
    shortestMs = Math.min(shortestMs, (user + system) / 1_000);
  }
  return shortestMs;
}

describe('a hostile text', () => {
  it.each(hostileTexts)('1 MiB of %s takes time by their length, not by its square', (name) => {
    const shortMs = Math.max(leastMs, measureMs(makeHostileText(name, mebibyte / 16), leastMs));
    const longMs = measureMs(makeHostileText(name, mebibyte), mostGrowth * shortMs);
    expect(longMs / shortMs).toBeLessThan(mostGrowth);
  });

  it.each(hostileTexts)('%s can be interrupted before each line', (name) => {
    const text = makeHostileText(name, mebibyte / 8);
    const lines = text.trimEnd().split('\n').length;
    const { steps, isRefused } = work(text);
    // Each line is read twice.
    expect(isRefused || steps > 2 * lines).toBe(true);
  });
});
