import { expect, it } from 'vitest';
import { readCredential } from './read-credential.ts';

const rawKey = `lk_${'0a'.repeat(32)}`;

it.each([rawKey, ` ${rawKey}\n`, `Bearer ${rawKey}`, `bearer  ${rawKey}`])(
  'the key is read from %j',
  (entered) => {
    expect(readCredential(entered)).toEqual({ credential: rawKey, fault: null });
  },
);

it.each([
  ['', /^Enter a key/],
  ['Bearer ', /^Enter a key/],
  ['lk_51b7d344…', /only a key prefix/],
  ['lk_51b7d344...', /only a key prefix/],
  ['lk_51b7d3 44', /not a complete key/],
  ['lk_51b7\u200bd344', /not a complete key/],
  ['ключ', /not a complete key/],
])('%j is refused as a key, with the reason', (entered, fault) => {
  expect(readCredential(entered)).toMatchObject({ credential: null, fault: expect.stringMatching(fault) });
});
