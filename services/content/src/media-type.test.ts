import { expect, test } from 'vitest';
import { maxMediaTypeLength, readMediaType } from './routes/presign.ts';

test.each([
  'video/mp2t',
  'application/vnd.apple.mpegurl',
  'application/octet-stream',
  'image/svg+xml',
  'text/vtt;charset=utf-8',
  'text/vtt; charset=UTF-8',
  'video/mp4; codecs="avc1.640028, mp4a.40.2"; profiles=isom',
  'multipart/mixed; boundary="a\\"b c"',
  'x/y',
])('%s is accepted as a media type, unchanged', (text) => {
  expect(readMediaType(text)).toBe(text);
});

test.each([
  '',
  'video',
  'video/',
  '/mp4',
  '*/*',
  'video/*',
  'video/mp4;',
  'video/mp4; codecs',
  'video/mp4; codecs="open',
  'video/mp4; codecs=a b',
  ' video/mp4',
  'video/mp4 ',
  'video /mp4',
  'video/mp4\r\nx-amz-acl: public-read',
  'video/mp4\n',
  'text/plain;\tcharset=utf-8',
  'text/plain; charset="\0"',
  'vidéo/mp4',
  'text/plain; charset="é"',
  'a/b, c/d',
  `video/${'x'.repeat(128)}`,
  `video/mp4; x=${'x'.repeat(maxMediaTypeLength)}`,
])('%j is refused as a media type', (text) => {
  expect(() => readMediaType(text)).toThrow(/contentType must be a media type/);
});
