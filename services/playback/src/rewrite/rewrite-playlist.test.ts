import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOwnKeys } from '../own-keys.ts';
import type { RewriteRules, RewrittenPlaylist } from './playlist.ts';
import { PlaylistFault } from './playlist-fault.ts';
import { rewriteAtOnce, writeAtOnce } from './rewrite.fixture.ts';

const rules: RewriteRules = {
  mayFetch: ({ origin, username }) =>
    ['https://cdn.example', 'https://eu.cdn.example'].includes(origin) && !username,
  toOwnKey: createOwnKeys('https://keys.example'),
};
const at = 'https://cdn.example/films/a/index.m3u8?token=t1';

function multivariant(body: string, url = at) {
  return rewriteAtOnce({ text: `#EXTM3U\n${body}`, url: new URL(url), parent: null }, rules);
}

function media(
  body: string,
  { url = 'https://cdn.example/films/a/v/1.m3u8', parent = multivariant('#EXT-X-MEDIA:TYPE=AUDIO') } = {},
) {
  const text = `#EXTM3U\n#EXT-X-TARGETDURATION:6\n${body}`;
  return rewriteAtOnce({ text, url: new URL(url), parent }, rules);
}

/** The lines after the head. */
const written = (playlist: RewrittenPlaylist) =>
  writeAtOnce(playlist, 'SID')
    .split('\n')
    .filter((line) => !/^(#EXTM3U|#EXT-X-TARGETDURATION.*|)$/.test(line));

describe('a multivariant playlist', () => {
  it('variants, renditions and I-frame playlists become neighbors of the playlist', () => {
    const playlist = multivariant(
      [
        '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x,y",URI="a/en.m3u8"',
        '#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="c",INSTREAM-ID="CC1"',
        '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="/i/1.m3u8"',
        '#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"',
        'https://eu.cdn.example/v/1.m3u8?sig=1&x=2',
      ].join('\r\n'),
    );
    const names = [...playlist.children.keys()];
    expect(names).toHaveLength(3);
    for (const name of names) expect(name).toMatch(/^[\w-]{16}(-[\w-]{8}-0)?\.m3u8$/);
    expect([...playlist.children.values()].map(String)).toEqual([
      'https://cdn.example/films/a/a/en.m3u8',
      'https://cdn.example/i/1.m3u8',
      'https://eu.cdn.example/v/1.m3u8?sig=1&x=2',
    ]);
    expect(written(playlist)).toEqual([
      `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x,y",URI="${names[0]}"`,
      '#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="c",INSTREAM-ID="CC1"',
      `#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="${names[1]}"`,
      '#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"',
      names[2],
    ]);
  });

  it('a variant keeps its name when its source is signed anew, and two that differ in their query have different names', () => {
    const variants = (sign: string) =>
      multivariant(
        `#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8?id=1&${sign}\n#EXT-X-STREAM-INF:BANDWIDTH=2\nv.m3u8?id=2&${sign}`,
      );
    const names = [...variants('sig=a').children.keys()];
    expect(new Set(names).size).toBe(2);
    expect([...variants('sig=b').children.keys()]).toEqual(names);
  });

  it('a variant that stands there twice has one name', () => {
    const line = '#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n';
    expect(multivariant(line + line).children.size).toBe(1);
  });

  it('session data and content steering become absolute', () => {
    const playlist = multivariant(
      '#EXT-X-SESSION-DATA:DATA-ID="d",URI="d.json"\n#EXT-X-CONTENT-STEERING:SERVER-URI="/steer?x",PATHWAY-ID="A"\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8',
    );
    expect(written(playlist)).toContain(
      '#EXT-X-SESSION-DATA:DATA-ID="d",URI="https://cdn.example/films/a/d.json"',
    );
    expect(written(playlist)).toContain(
      '#EXT-X-CONTENT-STEERING:SERVER-URI="https://cdn.example/steer?x",PATHWAY-ID="A"',
    );
  });

  it.each([
    'file:///etc/passwd',
    'http://169.254.169.254/latest/meta-data',
    'https://cdn.example:8443/v.m3u8',
    'https://user:word@cdn.example/v.m3u8',
    '//evil.example/v.m3u8',
    '\\\\evil.example/v.m3u8',
  ])('a playlist that lists %s as another playlist is refused', (uri) => {
    expect(() => multivariant(`#EXT-X-STREAM-INF:BANDWIDTH=1\n${uri}`)).toThrow(PlaylistFault);
    expect(() => multivariant(`#EXT-X-MEDIA:TYPE=AUDIO,URI="${uri}"`)).toThrow(PlaylistFault);
    expect(() => multivariant(`#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="${uri}"`)).toThrow(PlaylistFault);
  });

  it('a refusal does not show the path or the query of the address', () => {
    const signed = 'https://evil.example/secret-path?sig=secret-query';
    expect(() => multivariant(`#EXT-X-STREAM-INF:BANDWIDTH=1\n${signed}`)).toThrow(/^(?!.*secret)/);
  });

  it('a multivariant playlist below another one is refused', () => {
    const text = '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8';
    const below = { text, url: new URL(at), parent: multivariant('#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8') };
    expect(() => rewriteAtOnce(below, rules)).toThrow(PlaylistFault);
  });
});

describe('keys', () => {
  it('keys of this server name the session, and other keys stay', () => {
    const playlist = media(
      [
        '#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/keys/film/0",IV=0x1',
        '#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/keys/film/1?x=1&s=other#f"',
        '#EXT-X-KEY:METHOD=AES-128,URI="http://keys.example/keys/film/2"',
        '#EXT-X-KEY:METHOD=AES-128,URI="https://other.example/keys/film/1"',
        '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://Asset",KEYFORMAT="com.apple.streamingkeydelivery"',
        '#EXT-X-KEY:METHOD=AES-128,URI="data:application/octet-stream;base64,AAAA"',
        '#EXT-X-KEY:METHOD=NONE',
      ].join('\n'),
    );
    expect(written(playlist)).toEqual([
      '#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/keys/film/0?s=SID",IV=0x1',
      '#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/keys/film/1?x=1&s=SID"',
      '#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/keys/film/2?s=SID"',
      '#EXT-X-KEY:METHOD=AES-128,URI="https://other.example/keys/film/1"',
      '#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://Asset",KEYFORMAT="com.apple.streamingkeydelivery"',
      '#EXT-X-KEY:METHOD=AES-128,URI="data:application/octet-stream;base64,AAAA"',
      '#EXT-X-KEY:METHOD=NONE',
    ]);
  });

  it('session keys of a multivariant playlist name the session', () => {
    const key = '#EXT-X-SESSION-KEY:METHOD=AES-128,URI="https://keys.example/keys/film"';
    expect(written(multivariant(key))).toEqual([key.replace('film"', 'film?s=SID"')]);
  });

  it('one rewritten text serves every session', () => {
    const playlist = media('#EXT-X-KEY:METHOD=AES-128,URI="https://keys.example/keys/film"');
    expect(writeAtOnce(playlist, 'one')).toContain('?s=one"');
    expect(writeAtOnce(playlist, 'two')).toBe(writeAtOnce(playlist, 'one').replace('one', 'two'));
  });
});

describe('a media playlist', () => {
  it('segments, maps, parts and previews become absolute, and everything else stays', () => {
    const playlist = media(
      [
        '#EXT-X-MAP:URI="init.mp4",BYTERANGE="1@0"',
        '#EXT-X-PART:DURATION=1,URI="../p.1.mp4",INDEPENDENT=YES',
        '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="p.2.mp4"',
        '#EXT-X-DATERANGE:ID="1",CLASS="com.apple.hls.interstitial",START-DATE="2026-01-01T00:00:00Z",X-ASSET-URI="ad.m3u8"',
        '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z',
        '#EXTINF:6,a "title", URI="kept"',
        '#EXT-X-VENDOR:who knows URI="kept',
        '# a comment',
        's/1.ts?x=1',
        '#EXTINF:6,',
        'HTTPS://other.example/2 2.ts',
        '#EXT-X-ENDLIST',
      ].join('\n'),
    );
    expect(playlist).toMatchObject({ kind: 'media', isFinished: true, targetSeconds: 6 });
    expect(written(playlist)).toEqual([
      '#EXT-X-MAP:URI="https://cdn.example/films/a/v/init.mp4",BYTERANGE="1@0"',
      '#EXT-X-PART:DURATION=1,URI="https://cdn.example/films/a/p.1.mp4",INDEPENDENT=YES',
      '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="https://cdn.example/films/a/v/p.2.mp4"',
      '#EXT-X-DATERANGE:ID="1",CLASS="com.apple.hls.interstitial",START-DATE="2026-01-01T00:00:00Z",X-ASSET-URI="https://cdn.example/films/a/v/ad.m3u8"',
      '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z',
      '#EXTINF:6,a "title", URI="kept"',
      '#EXT-X-VENDOR:who knows URI="kept',
      '# a comment',
      'https://cdn.example/films/a/v/s/1.ts?x=1',
      '#EXTINF:6,',
      'https://other.example/2%202.ts',
      '#EXT-X-ENDLIST',
    ]);
  });

  it('reports of other renditions point to their neighbors, and reports of playlists that the content does not list are left out', () => {
    const parent = multivariant('#EXT-X-STREAM-INF:BANDWIDTH=1\nv/2.m3u8');
    const playlist = media(
      '#EXT-X-RENDITION-REPORT:URI="2.m3u8",LAST-MSN=1\n#EXT-X-RENDITION-REPORT:URI="3.m3u8",LAST-MSN=1',
      { parent },
    );
    expect(written(playlist)).toEqual([
      `#EXT-X-RENDITION-REPORT:URI="${[...parent.children.keys()][0]}",LAST-MSN=1`,
    ]);
  });

  it('offers that only the source can keep are withdrawn', () => {
    const offers = '#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=12.0,PART-HOLD-BACK=3.0';
    expect(written(media(offers))).toEqual(['#EXT-X-SERVER-CONTROL:PART-HOLD-BACK=3.0']);
    expect(written(media('#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES'))).toEqual([]);
  });

  it('a byte order mark does not stop a playlist', () => {
    const text = '\uFEFF#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-ENDLIST\n';
    expect(rewriteAtOnce({ text, url: new URL(at), parent: null }, rules).isFinished).toBe(true);
  });

  it.each([
    ['', 'nothing'],
    ['<html>#EXTM3U</html>', 'a web page'],
    ['#EXTM3U', 'a head alone'],
    ['#EXTM3U\n#EXT-X-TARGETDURATION:0\n', 'a target duration of 0'],
    ['#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-KEY:METHOD=AES-128,URI="x",URI="y"', 'a key with two URIs'],
    ['#EXTM3U\n#EXT-X-TARGETDURATION:6\nhttp://[', 'a malformed URI'],
  ])('%j is not served, because it is %s', (text) => {
    expect(() => rewriteAtOnce({ text, url: new URL(at), parent: null }, rules)).toThrow(PlaylistFault);
  });
});

describe('variables', () => {
  it('variables are filled in where a URI is rewritten', () => {
    const playlist = multivariant(
      '#EXT-X-DEFINE:NAME="path",VALUE="b/c"\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhttps://cdn.example/{$path}/v.m3u8',
    );
    expect([...playlist.children.values()].map(String)).toEqual(['https://cdn.example/b/c/v.m3u8']);
  });

  it('a variable from the query is stated, because the URL of a session lacks the query of the source', () => {
    const playlist = multivariant(
      '#EXT-X-DEFINE:QUERYPARAM="token"\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8?t={$token}',
    );
    expect(written(playlist)[0]).toBe('#EXT-X-DEFINE:NAME="token",VALUE="t1"');
    expect([...playlist.children.values()].map(String)).toEqual(['https://cdn.example/films/a/v.m3u8?t=t1']);
  });

  it('a media playlist imports variables of its multivariant playlist', () => {
    const parent = multivariant(
      '#EXT-X-DEFINE:NAME="host",VALUE="s.example"\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8',
    );
    const playlist = media('#EXT-X-DEFINE:IMPORT="host"\n#EXTINF:6,\nhttps://{$host}/1.ts', { parent });
    expect(written(playlist)).toEqual([
      '#EXT-X-DEFINE:IMPORT="host"',
      '#EXTINF:6,',
      'https://s.example/1.ts',
    ]);
  });

  it.each([
    '#EXTINF:6,\n{$unknown}.ts',
    '#EXT-X-DEFINE:IMPORT="unknown"',
    '#EXT-X-DEFINE:QUERYPARAM="unknown"',
    '#EXT-X-DEFINE:VALUE="x"',
    '#EXTINF:6,\n{$late}.ts\n#EXT-X-DEFINE:NAME="late",VALUE="x"',
  ])('%j is not served, because a variable has no value', (body) => {
    expect(() => media(body)).toThrow(PlaylistFault);
  });

  it('a variable cannot move a playlist to an origin that is not listed', () => {
    const body =
      '#EXT-X-DEFINE:NAME="h",VALUE="evil.example/"\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhttps://{$h}v.m3u8';
    expect(() => multivariant(body)).toThrow(PlaylistFault);
  });
});

it('any text is rewritten or refused, and no playlist of an origin that is not listed is ever a neighbor', () => {
  const pieces = [
    ...['#EXT-X-STREAM-INF:BANDWIDTH=1', '#EXT-X-MEDIA:TYPE=AUDIO,URI="', '#EXT-X-DEFINE:NAME="a",VALUE="'],
    ...['#EXTINF:1,', '#EXT-X-TARGETDURATION:1', '{$a}', '\n', '\r\n', '\0', ' '],
    ...'https:// cdn.example evil.example v.m3u8 " / \\ @ : ..'.split(' '),
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 24 }), (body) => {
      try {
        const { children } = multivariant(body.join(''));
        for (const child of children.values()) expect(rules.mayFetch(child)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(PlaylistFault);
      }
    }),
    { numRuns: 2_000 },
  );
});
