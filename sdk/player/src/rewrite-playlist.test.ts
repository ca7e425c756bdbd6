import { expect, it } from 'vitest';
import { isLive, rewritePlaylist } from './native-source.ts';

const rewriting = {
  key: async (url: string) => `KEY<${url}>`,
  playlist: async (url: string) => `LIST<${url}>`,
};
const rewrite = (text: string) =>
  rewritePlaylist(text, 'https://cdn.example/film/a/index.m3u8?x=1', rewriting);

it('rewriting a media playlist makes segments and maps absolute and replaces keys', async () => {
  const text = [
    '#EXTM3U',
    '#EXT-X-TARGETDURATION:2',
    '#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/keys/film/0",IV=0x00',
    '#EXT-X-MAP:URI="init.mp4",BYTERANGE="10@0"',
    '#EXTINF:2,',
    '00000.ts\r',
    '',
    '#EXT-X-KEY:METHOD=NONE',
    '#EXTINF:2,',
    'https://other.example/1.ts',
    '#EXT-X-ENDLIST',
  ].join('\n');
  expect((await rewrite(text)).split('\n')).toEqual([
    '#EXTM3U',
    '#EXT-X-TARGETDURATION:2',
    '#EXT-X-KEY:METHOD=AES-128,URI="KEY<https://keys.example/keys/film/0>",IV=0x00',
    '#EXT-X-MAP:URI="https://cdn.example/film/a/init.mp4",BYTERANGE="10@0"',
    '#EXTINF:2,',
    'https://cdn.example/film/a/00000.ts',
    '',
    '#EXT-X-KEY:METHOD=NONE',
    '#EXTINF:2,',
    'https://other.example/1.ts',
    '#EXT-X-ENDLIST',
  ]);
});

it('rewriting a multivariant playlist replaces variants, renditions and the session key', async () => {
  const text = [
    '#EXTM3U',
    '#EXT-X-SESSION-KEY:METHOD=AES-128,URI="/keys/film"',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="URI=x",URI="../sound.m3u8"',
    '#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="c",INSTREAM-ID="CC1"',
    '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="iframes.m3u8"',
    '#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"',
    'low.m3u8',
  ].join('\n');
  expect((await rewrite(text)).split('\n')).toEqual([
    '#EXTM3U',
    '#EXT-X-SESSION-KEY:METHOD=AES-128,URI="KEY<https://cdn.example/keys/film>"',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="URI=x",URI="LIST<https://cdn.example/film/sound.m3u8>"',
    '#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="c",INSTREAM-ID="CC1"',
    '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="LIST<https://cdn.example/film/a/iframes.m3u8>"',
    '#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"',
    'LIST<https://cdn.example/film/a/low.m3u8>',
  ]);
});

it('a media playlist without an end is live, and a multivariant playlist is not', () => {
  expect(isLive('#EXTM3U\n#EXTINF:2,\n1.ts')).toBe(true);
  expect(isLive('#EXTM3U\n#EXTINF:2,\n1.ts\n#EXT-X-ENDLIST')).toBe(false);
  expect(isLive('#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8')).toBe(false);
});
