import { expect, it } from 'vitest';
import { createOwnKeys } from './own-keys.ts';

it.each([
  ['https://keys.example', 'https://keys.example/keys/film', true],
  ['http://keys.example', 'http://keys.example/keys/film', true],
  ['https://keys.example:443', 'https://keys.example/keys/film/7', true],
  ['https://keys.example/v1', 'https://keys.example/v1/keys/film/7', true],
  ['https://keys.example', 'https://keys.example/keys/film/kid/98ee5596-cd3e-a20d-163a-e382420c6eff', true],
  ['https://keys.example', 'https://keys.example/keys/film/kid/7', false],
  ['https://keys.example/v1', 'https://keys.example/keys/film/7', false],
  ['http://keys.example', 'https://keys.example/keys/film', false],
  ['https://keys.example', 'http://keys.example:8080/keys/film', false],
  ['https://keys.example', 'ftp://keys.example/keys/film', false],
  ['https://keys.example', 'https://keys.example.evil.example/keys/film', false],
  ['https://keys.example', 'https://keys.example@evil.example/keys/film', false],
  ['https://keys.example', 'https://user@keys.example/keys/film', false],
  ['https://keys.example', 'https://keys.example:8443/keys/film', false],
  ['https://keys.example', 'https://keys.example/admin', false],
  ['https://keys.example', 'https://keys.example/keys/film/7/more', false],
  ['https://keys.example', 'https://keys.example/keys/a%2f..%2f..%2fplay', false],
  ['https://keys.example', 'https://keys.example/keys/../play/x', false],
])('with the public URL %s, %s is a key of this server: %s', (publicUrl, url, expected) => {
  expect(createOwnKeys(publicUrl)(new URL(url))?.href ?? null).toBe(expected ? url : null);
});

it.each([
  ['https://keys.example', 'http://keys.example/keys/film', 'https://keys.example/keys/film'],
  [
    'https://keys.example:8443/v1',
    'http://keys.example:8443/v1/keys/film/7?x=1',
    'https://keys.example:8443/v1/keys/film/7?x=1',
  ],
])(
  'with the public URL %s, a key that a playlist names as %s is fetched from %s',
  (publicUrl, url, expected) => {
    expect(createOwnKeys(publicUrl)(new URL(url))?.href).toBe(expected);
  },
);

it('without a public URL no key is one of this server', () => {
  expect(createOwnKeys(null)(new URL('https://keys.example/keys/film'))).toBe(null);
});
