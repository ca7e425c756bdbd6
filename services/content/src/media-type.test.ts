import { expect, test } from 'vitest';
import { maxMediaTypeLength, readMediaType } from './routes/presign.ts';

test.each([
  'video/mp2t',
  'image/svg+xml',
  'text/vtt; charset=UTF-8',
  'video/mp4; codecs="avc1.640028, mp4a.40.2"; profiles=isom',
  'multipart/mixed; boundary="a\\"b c"',
])('%s is accepted as a media type, unchanged', (text) => {
  expect(readMediaType(text)).toBe(text);
});

test.each([
  '',
  'video/',
  '/mp4',
  '*/*',
  'video/mp4;',
  'video/mp4; codecs="open',
  'video/mp4; codecs=a b',
  'video/mp4 ',
  'video /mp4',
  'video/mp4\r\nx-amz-acl: public-read',
  'text/plain;\tcharset=utf-8',
  'text/plain; charset="\0"',
  'vidéo/mp4',
  'a/b, c/d',
  `video/${'x'.repeat(128)}`,
  `video/mp4; x=${'x'.repeat(maxMediaTypeLength)}`,
])('%j is refused as a media type', (text) => {
  expect(() => readMediaType(text)).toThrow(/contentType must be a media type/);
});
