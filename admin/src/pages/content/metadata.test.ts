import { expect, it } from 'vitest';
import { readMetadata, writeMetadata } from './metadata.ts';

it('reads what it has written, and nothing at all as none', () => {
  const metadata = {
    season: 2,
    size: 9007199254740991,
    part: 0.5,
    tags: ['a', '</script>'],
    deep: { er: null },
  };
  expect(readMetadata(writeMetadata(metadata))).toEqual({ metadata });
  expect(readMetadata(' \n')).toEqual({ metadata: {} });
  expect(writeMetadata({})).toBe('');
});

it.each([
  ['{\n  "a": 1,\n  oops\n}', /line 3, character 3/],
  ['{"a": 1', /no JSON/],
  ['[1]', /has to be an object/],
  ['"text"', /has to be an object/],
  ['null', /has to be an object/],
  ['{"a": 12345678901234567890}', /at “a” is too large to be kept exactly/],
  ['{"deep": {"er": -9007199254740993}}', /at “er”/],
  ['{"a": 1e999}', /at “a”/],
  [JSON.stringify({ a: 'é'.repeat(9_000) }), /too long: 18008 octets of 16384/],
])('says what is wrong with %.30s', (text, words) => {
  expect(readMetadata(text)).toEqual({ fault: expect.stringMatching(words) });
});
