import { expect, it } from 'vitest';
import { contentIdOf, nextKeyUrl } from './key-url.ts';

it.each([
  ['https://keys.example/keys/film', 'film'],
  ['https://keys.example/keys/film/7?x=1', 'film'],
  ['https://keys.example:443/keys/film', 'film'],
  ['https://keys.example/keys/film/kid/98ee5596-cd3e-a20d-163a-e382420c6eff', 'film'],
])('%s is a key URL of the content %s', (url, contentId) => {
  expect(contentIdOf(url, 'https://keys.example')).toBe(contentId);
  expect(contentIdOf(url, 'https://keys.example/')).toBe(contentId);
});

it.each([
  'https://keys.example.evil/keys/film',
  'https://keys.example@evil/keys/film',
  'http://keys.example/keys/film',
  'https://keys.example:8443/keys/film',
  'https://keys.example/keysmith/film',
  'https://keys.example/keys/../segments/film',
  'https://keys.example/keys/%2e%2e/segment',
  'https://keys.example/keys/',
  'https://keys.example/keys/film/',
  'https://keys.example/keys/film/7/8',
  'https://keys.example/keys/film/kid/',
  'https://keys.example/keys/film/kid/a/b',
  'https://keys.example/keys/leases',
  'https://cdn.example/https://keys.example/keys/film',
  'segment.ts',
  '',
])('%j is not a key URL of the server, and gets no credential', (url) => {
  expect(contentIdOf(url, 'https://keys.example')).toBeUndefined();
});

it('a server below a path has its keys only below that path', () => {
  expect(contentIdOf('https://example/drm/keys/film', 'https://example/drm/')).toBe('film');
  expect(contentIdOf('https://example/keys/film', 'https://example/drm/')).toBeUndefined();
});

it.each([
  ['https://keys.example/keys/film/9', 'https://keys.example/keys/film/10'],
  ['https://keys.example/keys/film/0?s=a/1', 'https://keys.example/keys/film/1?s=a/1'],
  ['https://keys.example/keys/2024/7', 'https://keys.example/keys/2024/8'],
  ['https://keys.example/keys/2024', undefined],
  ['https://keys.example/keys/film', undefined],
  ['https://keys.example/keys/film/new?x=5', undefined],
  ['https://keys.example/keys/film/kid/98ee5596-cd3e-a20d-163a-e38242000000', undefined],
  ['https://elsewhere.example/keys/film/1', undefined],
  ['', undefined],
])('the key URL after %s is %s', (url, next) => {
  expect(nextKeyUrl(url, 'https://keys.example')).toBe(next);
});
