import { expect, it } from 'vitest';
import { readPlaylist } from './order-files.ts';

it('the names in a media playlist are its segments and initialization sections, relative to its own path', () => {
  const text = [
    '#EXTM3U',
    '#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example.com/keys/film",IV=0x00',
    '#EXT-X-MAP:URI="init-0.mp4",BYTERANGE="10@0"',
    '#EXTINF:2,',
    '00000.m4s',
    '',
    '# a comment',
    '../shared/a%20b.m4s?x=1',
    'https://elsewhere.example.com/c.ts',
    '/root.ts',
  ];
  expect(readPlaylist('720p/index.m3u8', text.join('\r\n'))).toEqual({
    multivariant: false,
    paths: ['720p/init-0.mp4', '720p/00000.m4s', 'shared/a b.m4s', 'root.ts'],
  });
});

it('the names in a multivariant playlist are its media playlists, and not its keys', () => {
  const text = [
    '#EXTM3U',
    '#EXT-X-SESSION-KEY:METHOD=AES-128,URI="keys/film"',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="en",URI="audio/index.m3u8"',
    '#EXT-X-STREAM-INF:BANDWIDTH=1',
    '720p/index.m3u8',
  ];
  expect(readPlaylist('master.m3u8', text.join('\n'))).toEqual({
    multivariant: true,
    paths: ['audio/index.m3u8', '720p/index.m3u8'],
  });
});

it.each(['%zz.ts', 'a#b c.m3u8'])('a name that is not a URI (%s) is kept unchanged', (name) => {
  expect(readPlaylist(name, '%zz.ts').paths).toEqual(['%zz.ts']);
});
