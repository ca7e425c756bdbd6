import { createCipheriv } from 'node:crypto';
import { expect, test } from 'vitest';
import { splitPlaylist } from '../hls/playlist-lines.ts';
import { proveKey, readEncryptedPlaylist, rewriteKeys } from './encrypted-playlist.ts';

const playlist = (...lines: string[]) =>
  splitPlaylist('a.m3u8', Buffer.from(['#EXTM3U', '#EXT-X-MEDIA-SEQUENCE:258', ...lines].join('\n')));
const segment = (name: string) => ['#EXTINF:2,', name];

test('each segment has the key that stands before it, with its vector or the number of the segment', () => {
  const text = playlist(
    ...segment('clear.ts'),
    '#EXT-X-KEY:METHOD=AES-128,URI="a.key"',
    ...segment('1.ts'),
    ...segment('2.ts'),
    '#EXT-X-KEY:METHOD=AES-128,URI="b.key",IV=0xABC,KEYFORMAT="identity"',
    '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x",KEYFORMAT="com.apple.streamingkeydelivery"',
    ...segment('3.ts'),
    '#EXT-X-KEY:METHOD=NONE',
    ...segment('clear.ts'),
    '#EXT-X-KEY:METHOD=AES-128,URI="c.key",IV=0x1,KEYFORMAT="",KEYFORMATVERSIONS=""',
    ...segment('4.ts'),
  );
  const { segments } = readEncryptedPlaylist(text, 'media');
  expect(segments.map(({ segment: { uri }, key, iv }) => [uri, key.uri, iv.toString('hex')])).toEqual([
    ['1.ts', 'a.key', '00000000000000000000000000000103'],
    ['2.ts', 'a.key', '00000000000000000000000000000104'],
    ['3.ts', 'b.key', '00000000000000000000000000000abc'],
    ['4.ts', 'c.key', '00000000000000000000000000000001'],
  ]);
});

test('a playlist keeps every line but the URIs of its keys', () => {
  const lines = [
    '# a comment',
    '#EXT-X-KEY:METHOD=AES-128,URI="a.key?x=1",IV=0x0102,KEYFORMATVERSIONS="1"',
    ...segment('1.ts'),
    '#EXT-X-KEY:METHOD=NONE',
    '#EXT-X-ENDLIST',
  ];
  const read = readEncryptedPlaylist(playlist(...lines), 'media');
  const rewritten = rewriteKeys(read, ({ uri }) =>
    uri === 'a.key?x=1' ? 'https://keys.example/keys/film' : undefined,
  );
  expect(rewritten).toBe(
    `${['#EXTM3U', '#EXT-X-MEDIA-SEQUENCE:258', ...lines].join('\n').replace('a.key?x=1', 'https://keys.example/keys/film')}\n`,
  );
  expect(rewriteKeys(read, () => undefined)).toContain('URI="a.key?x=1"');
});

test.each([
  ['#EXT-X-KEY:METHOD=SAMPLE-AES,URI="a.key"', 'a.m3u8:3: METHOD=SAMPLE-AES; accepted: AES-128'],
  ['#EXT-X-KEY:METHOD=AES-128', 'a.m3u8:3: #EXT-X-KEY without a URI'],
  ['#EXT-X-KEY:METHOD=AES-128,URI="a.key",IV=12', 'a.m3u8:3: IV=12; accepted: 0x'],
  [
    '#EXT-X-KEY:METHOD=AES-128,URI="skd://x",KEYFORMAT="com.apple.streamingkeydelivery"',
    'a.m3u8:3: the key belongs to another system (KEYFORMAT)',
  ],
])('%s is refused with the line', (line, message) => {
  expect(() => readEncryptedPlaylist(playlist(line, ...segment('1.ts')), 'media')).toThrow(message);
});

test('a range that is cut before its padding is refused with its line, but not one of an I-frame', () => {
  const ranges = [
    '#EXT-X-KEY:METHOD=AES-128,URI="a.key"',
    '#EXTINF:2,',
    '#EXT-X-BYTERANGE:1499@16',
    'a.ts?t=1',
  ];
  expect(() => readEncryptedPlaylist(playlist(...ranges), 'media')).toThrow(
    'a.m3u8:6: the range of 1499 bytes at 16 of "a.ts?t=***" ends in the middle of a block of 16 bytes',
  );
  const { segments } = readEncryptedPlaylist(playlist('#EXT-X-I-FRAMES-ONLY', ...ranges), 'media');
  expect(segments.map(({ isWhole }) => isWhole)).toEqual([false]);
});

const twoPackets = Buffer.from(`47${'00'.repeat(187)}47${'00'.repeat(187)}`, 'hex');
const [key, iv] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)];
function encrypt(clear: Buffer, isPadded = true): Buffer {
  const cipher = createCipheriv('aes-128-cbc', key, iv).setAutoPadding(isPadded);
  return Buffer.concat([cipher.update(clear), cipher.final()]);
}

test.each([
  ['MPEG-TS', twoPackets],
  ['fMP4', Buffer.from('\0\0\0\x18stypmsdh and more')],
  ['ID3 of packed audio', Buffer.from('ID3\x04 and more')],
  ['ADTS or MPEG audio', Buffer.from('fff15080', 'hex')],
  ['WebVTT', Buffer.from('WEBVTT\n\n')],
])('a key is proved by a segment of %s', (what, clear) => {
  expect(proveKey(encrypt(clear), key, iv)).toEqual({ media: what, isPadded: true });
});

test('the key of a segment without padding is known as that', () => {
  const segment = encrypt(Buffer.concat([twoPackets, twoPackets]), false);
  expect(proveKey(segment, key, iv)).toEqual({ media: 'MPEG-TS', isPadded: false });
  expect(proveKey(encrypt(twoPackets).subarray(0, 368), key, iv)).toEqual({
    media: 'MPEG-TS',
    isPadded: false,
  });
});

test('of a thousand other keys none is taken for the key, and neither is a segment that is no media', () => {
  const segment = encrypt(twoPackets);
  for (let n = 0; n < 1_000; n++) {
    const other = Buffer.alloc(16);
    other.writeUInt32BE(n);
    expect(proveKey(segment, other, iv)?.isPadded ?? false).toBe(false);
  }
  expect(proveKey(Buffer.alloc(0), key, iv)).toBeNull();
  expect(proveKey(encrypt(Buffer.from('a text that is no media')), key, iv)).toBeNull();
});
