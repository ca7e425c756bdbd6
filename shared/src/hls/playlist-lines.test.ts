import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readLines, splitLines } from './playlist-lines.ts';

const textsOf = (text: string) => splitLines(text)?.map((line) => line.text);

it('lines end in LF or CRLF, and blank lines at the end are dropped', () => {
  expect(textsOf('#EXTM3U\r\n\r\na\r\n\nb\n\r\n\n')).toEqual(['#EXTM3U', '', 'a', '', 'b']);
  expect(textsOf('#EXTM3U \n\n')).toEqual(['#EXTM3U ']);
  expect(textsOf('#EXTM3U\na\rb')).toEqual(['#EXTM3U', 'a\rb']);
});

it('a text that does not begin with #EXTM3U is not a playlist', () => {
  for (const text of ['', '\n#EXTM3U', '#EXTM3U8', '<html>']) expect(splitLines(text)).toBe(null);
});

it('tags, URIs and other lines are told apart, and numbered from 1', () => {
  const lines = splitLines('#EXTM3U\n#EXTINF:2,a:b \n# a comment\n \na.ts\n#EXT-x:1') ?? [];
  expect(lines.map(({ kind, tag, value, number }) => [kind, tag, value, number])).toEqual([
    ['tag', 'EXTM3U', '', 1],
    ['tag', 'EXTINF', '2,a:b', 2],
    ['other', '', '', 3],
    ['other', '', '', 4],
    ['uri', '', '', 5],
    ['other', '', '', 6],
  ]);
});

it('a line is read when it is asked for', () => {
  const lines = readLines(`#EXTM3U\n${'a\n'.repeat(1_000_000)}`)?.[Symbol.iterator]();
  expect([lines?.next().value?.text, lines?.next().value?.text]).toEqual(['#EXTM3U', 'a']);
});

it('the lines joined again are the text without its last blank lines', () => {
  const piece = fc.constantFrom('\n', '\r\n', '\r', 'a', ' ', '#EXT', '#EXT-X-KEY:', ':');
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = `#EXTM3U\n${pieces.join('')}`;
      const plain = text.replaceAll('\r\n', '\n');
      const joined = textsOf(text)?.join('\n') ?? '';
      expect(plain.startsWith(joined)).toBe(true);
      expect(plain.slice(joined.length)).toMatch(/^\n*$/);
      expect(joined.endsWith('\n')).toBe(false);
    }),
  );
});
