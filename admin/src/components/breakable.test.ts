import { expect, test } from 'vitest';
import { breakable } from './breakable.ts';

test.each([
  ['short/path', ['short/path']],
  [
    'https://cdn.example.com/content/the-film',
    ['https://', 'cdn.', 'example.', 'com/', 'content/', 'the-film'],
  ],
  ['acme:customer_0001@example', ['acme:', 'customer_', '0001@', 'example']],
  ['w'.repeat(40), ['w'.repeat(40)]],
  ['...............................', ['...............................']],
])('%s may break between %j', (text, pieces) => expect(breakable(text)).toEqual(pieces));

test('a text of many words has a bounded number of pieces, and they are the text', () => {
  const text = 'a.'.repeat(500);
  expect(breakable(text)).toHaveLength(12);
  expect(breakable(text).join('')).toBe(text);
});
