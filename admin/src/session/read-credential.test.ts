import { expect, it } from 'vitest';
import { readCredential } from './read-credential.ts';

const rawKey = `lk_${'0a'.repeat(32)}`;

it.each([rawKey, ` ${rawKey}\n`, `Bearer ${rawKey}`, `bearer  ${rawKey}`])(
  'takes the key out of %j',
  (entered) => {
    expect(readCredential(entered)).toEqual({ credential: rawKey, fault: null });
  },
);

it.each([
  ['', /^Enter a key/],
  ['Bearer ', /^Enter a key/],
  ['lk_51b7d344…', /only the beginning of a key/],
  ['lk_51b7d344...', /only the beginning of a key/],
  ['lk_51b7d3 44', /not a whole key/],
  ['lk_51b7\u200bd344', /not a whole key/],
  ['ключ', /not a whole key/],
])('says what is wrong with %j, which no request could carry or no key is', (entered, fault) => {
  expect(readCredential(entered)).toMatchObject({ credential: null, fault: expect.stringMatching(fault) });
});
