import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactPath } from './redact.ts';

const key = `lk_${'0123456789abcdef'.repeat(4)}`;
const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJlLXNpZ25hdHVyZS1zaWduYXR1cmU';
const sid = 'Xxuhl34KTVWaQw1vP28MEQECAwQFBgcICQoLDA0ODxA';
/** SHA-256 in base64url: the id of a content may be one. */
const hash = 'RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o';

test.each([
  ['/keys/a', '/keys/a'],
  ['/keys/%41', '/keys/%41'],
  ['/keys/a?', '/keys/a?***'],
  [`/keys/a?access_token=${token}`, '/keys/a?access_token=***'],
  ['/keys/a?access_token=eyJ&lease_id=7', '/keys/a?access_token=***&lease_id=***'],
  ['/keys/a?access_token=a=b=c', '/keys/a?access_token=***'],
  ['/keys/a?access_token', '/keys/a?access_token=***'],
  ['/keys/a?x=1?access_token=secret', '/keys/a?x=***'],
  ['/keys/a?eyJhbGciOiJIUzI1NiJ9eyJhbGciOiJIUzI1NiJ9=', '/keys/a?***'],
  ['/keys/a?a%3Dsecret', '/keys/a?***'],
  ['/keys/a?&&', '/keys/a?***&***&***'],
  ['/keys/film#access_token=secret', '/keys/film#***'],
  ['/keys/film;jsessionid=secret/0?x=1', '/keys/film;***'],
  ['/keys/film%3Faccess_token=secret', '/keys/film?***'],
  ['/keys/film%2523secret/0', '/keys/film#***'],
  ['/keys/%252525252525253f', '***'],
  [`/api/v1/api-keys/${key}`, '/api/v1/api-keys/lk_***'],
  [`/api/v1/api-keys/${key.replace('_', '%5F')}`, '/api/v1/api-keys/lk_***'],
  [`/keys/${token}`, '/keys/***'],
  [`/keys/${token.replaceAll('.', '%2e')}`, '/keys/***'],
  [`/play/${sid}/index.m3u8`, '/play/***/index.m3u8'],
  [`/PLAY/${sid.slice(0, 12)}`, '/PLAY/***'],
  [`/%70lay%2f${sid}/index.m3u8`, '/play/***/index.m3u8'],
  [`/play//${sid}/index.m3u8`, '/play//***/index.m3u8'],
  [`/nowhere/${sid}`, '/nowhere/***'],
  [`/nowhere/${hash}`, '/nowhere/***'],
  [`/keys/${sid}`, '/keys/***'],
  [`/keys/${hash}`, `/keys/${hash}`],
  [`/keys/${hash}/${sid}`, `/keys/${hash}/***`],
  [`/api/v1/content/${hash}/key-info`, `/api/v1/content/${hash}/key-info`],
  [`/licenses/clearkey/${hash}`, `/licenses/clearkey/${hash}`],
  [`/keys/lk_0123456789abcdef${'x'.repeat(24)}`, `/keys/lk_***${'x'.repeat(24)}`],
  ['http://ada:secret@keys.example/keys/a', 'http://***@keys.example/keys/a'],
])('the target %s is written as %s', (target, written) => expect(redactPath(target)).toBe(written));

test('of the text after the first ?, # or ;, only the names of a query are logged', () => {
  const mark = fc.constantFrom('?', '#', ';', '%3F', '%23', '%3B', '%253f', '%2523');
  const noise = fc.stringMatching(/^[\w%/.?#;&-]{0,30}$/);
  const secret = fc.stringMatching(/^[G-Zg-z]{40}$/);
  fc.assert(
    fc.property(noise, mark, noise, secret, (before, end, after, value) => {
      expect(redactPath(`/${before}${end}${after}=${value}`)).not.toContain(value);
    }),
  );
});

test('of a query with more than 64 names, the others are written as one hidden text', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}=1`).join('&');
  expect(redactPath(`/health?${names(64)}`)).toMatch(/&n63=\*{3}$/);
  expect(redactPath(`/health?${names(65)}`)).toMatch(/&n63=\*{3}&\*{3}$/);
  expect(redactPath(`/health?${names(5_000)}`)).toBe(redactPath(`/health?${names(65)}`));
});
