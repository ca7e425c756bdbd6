import { expect, it } from 'vitest';
import { rewritePlaylist } from './rewrite-playlist.ts';

const rules = { mayFetch: () => true, isOwnKey: () => false };
const rewrite = (body: string, url = 'https://cdn.example/v.m3u8') =>
  rewritePlaylist({ text: `#EXTM3U\n${body}`, url: new URL(url), parent: null }, rules);

it('a short text that would become a huge one is refused', () => {
  const far = `https://cdn.example/${'x'.repeat(8_000)}/v.m3u8`;
  const segments = `#EXT-X-TARGETDURATION:6\n${'#EXTINF:6,\na\n'.repeat(20_000)}`;
  expect(() => rewrite(segments, far)).toThrow('16 MiB');
  const define = `#EXT-X-TARGETDURATION:6\n#EXT-X-DEFINE:NAME="x",VALUE="${'y'.repeat(60_000)}"\n`;
  expect(() => rewrite(`${define}#EXTINF:6,\n${'{$x}'.repeat(20_000)}`)).toThrow('too long');
});

it('a text of a million lines is refused before they are rewritten, and a film of a day is not', () => {
  expect(() => rewrite(`#EXT-X-TARGETDURATION:6\n${'a\n'.repeat(1_000_000)}`)).toThrow('200,000 lines');
  const day = '#EXTINF:2,\n1.ts\n'.repeat(43_200);
  expect(rewrite(`#EXT-X-TARGETDURATION:2\n${day}`).kind).toBe('media');
});

it('a list of more playlists than any content has is refused', () => {
  const variants = Array.from({ length: 1_001 }, (_, n) => `#EXT-X-STREAM-INF:BANDWIDTH=1\n${n}.m3u8`);
  expect(() => rewrite(variants.join('\n'))).toThrow('1,000');
  expect(rewrite(variants.slice(1).join('\n')).children.size).toBe(1_000);
});
