import { expect, test } from 'vitest';
import { readManifestKey, readMetadata, readPlaylistUrl } from './content.ts';

const listed = ['https://cdn.example', 'http://origin.internal:8080'];
const refusal = (path: string, message = /./) =>
  expect.objectContaining({
    code: 'VALIDATION_FAILED',
    members: { errors: [{ path, message: expect.stringMatching(message) }] },
  });

test('metadata may have 16 KiB of JSON text, counted in bytes of UTF-8', () => {
  const frame = JSON.stringify({ a: '' }).length;
  const largest = { a: 'x'.repeat(16_384 - frame) };
  expect(readMetadata(largest)).toBe(largest);
  expect(() => readMetadata({ a: `${largest.a}x` })).toThrow(refusal('/metadata'));
  expect(() => readMetadata({ a: 'é'.repeat(8_190) })).toThrow(refusal('/metadata'));
});

test('metadata may be nested 32 levels deep, and much deeper metadata is refused without a crash', () => {
  const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
  expect(() => readMetadata(nested(32))).not.toThrow();
  expect(() => readMetadata(nested(33))).toThrow(refusal('/metadata'));
  expect(() => readMetadata(nested(8_000))).toThrow(refusal('/metadata'));
});

test('a manifest key has no control characters and is valid Unicode', () => {
  expect(readManifestKey('content/a/ü master.m3u8')).toBe('content/a/ü master.m3u8');
  for (const key of ['a\nb', 'a\u0000', 'a\u007f', '\ud800']) {
    expect(() => readManifestKey(key)).toThrow(refusal('/manifestKey'));
  }
});

test.each([
  ...['http://cdn.example/a', 'https://cdn.example:8443/a', 'https://cdn.example.evil.example/a'],
  ...['https://evil.example/?https://cdn.example', 'http://169.254.169.254/latest'],
])('the playlistUrl %s is refused by its origin, and the refusal names PLAYLIST_ORIGINS', (url) => {
  expect(readPlaylistUrl('http://origin.internal:8080/a', listed)).toBe('http://origin.internal:8080/a');
  for (const origins of [listed, []])
    expect(() => readPlaylistUrl(url, origins)).toThrow(refusal('/playlistUrl', /PLAYLIST_ORIGINS/));
});

test.each([
  ...['', '/master.m3u8', '//cdn.example/a', 'file:///etc/passwd', 'data:text/plain,a', 'ftp://cdn.example/'],
  ...['https://user:pw@cdn.example/a', 'https://cdn.example@evil.example/', 'https://cdn.example/a#b'],
  ...['https://cdn.example/a b', 'https://cdn.example/\n', 'https://cdn.example/\u0000', 'https://'],
])(
  'the playlistUrl %j is refused: it is not an absolute http or https URL without credentials and fragment',
  (url) => {
    expect(() => readPlaylistUrl(url, listed)).toThrow(refusal('/playlistUrl'));
  },
);
