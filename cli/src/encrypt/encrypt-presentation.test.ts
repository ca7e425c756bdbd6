import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encryptFiles, keyOfUrl, keyUrlBase } from '../testing/encrypt-files.ts';
import { makeInitialization } from '../testing/media-boxes.ts';
import { playPresentation } from '../testing/play-presentation.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const text = (...lines: string[]) => `${lines.join('\n')}\n`;
const mediaPlaylist = (...lines: string[]) =>
  text('#EXTM3U', '#EXT-X-TARGETDURATION:2', ...lines, '#EXT-X-ENDLIST');
const oneSegment = mediaPlaylist('#EXTINF:2,', 'a.ts');

describe('an encrypted media playlist', () => {
  it('an encrypted media playlist has the lines of the input in their order, with a key and a vector before each segment', async () => {
    const { playlist } = await encryptFiles(
      {
        'film.m3u8': text(
          '#EXTM3U',
          '#EXT-X-VERSION:3',
          '#EXT-X-TARGETDURATION:2',
          '# a comment, as it is',
          '#EXT-X-KEY:METHOD=NONE',
          '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z',
          '#EXTINF:2.000,a title, with a comma',
          'a.ts',
          '#EXT-X-DISCONTINUITY',
          '#EXT-X-UNKNOWN:FOO="b,ar" , odd',
          '#EXTINF:2.000,',
          'sub/b.TS?token=1',
          '#EXT-X-ENDLIST',
        ),
        'a.ts': 'first',
        'sub/b.TS': 'second',
      },
      'film.m3u8',
    );
    const key = `#EXT-X-KEY:METHOD=AES-128,URI="${keyUrlBase}/keys/film",IV=0x*`;
    expect(readFileSync(playlist, 'utf8').replace(/IV=0x[0-9a-f]{32}/g, 'IV=0x*')).toBe(
      text(
        '#EXTM3U',
        '#EXT-X-VERSION:3',
        '#EXT-X-TARGETDURATION:2',
        '# a comment, as it is',
        '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z',
        key,
        '#EXTINF:2.000,a title, with a comma',
        '00000.ts',
        '#EXT-X-DISCONTINUITY',
        '#EXT-X-UNKNOWN:FOO="b,ar" , odd',
        key,
        '#EXTINF:2.000,',
        '00001.ts',
        '#EXT-X-ENDLIST',
      ),
    );
    const [played] = playPresentation(playlist, keyOfUrl);
    expect(played?.segments.map(({ clear }) => clear.toString())).toEqual(['first', 'second']);
  });

  it('an EXT-X-MAP after #EXTINF does not separate a segment from its key', async () => {
    const { playlist } = await encryptFiles(
      {
        'film.m3u8': mediaPlaylist('#EXTINF:2,', '#EXT-X-MAP:URI="i.mp4"', 'a.m4s', '#EXTINF:2,', 'b.m4s'),
        'i.mp4': makeInitialization(),
        'a.m4s': 'a',
        'b.m4s': 'b',
      },
      'film.m3u8',
    );
    const [played] = playPresentation(playlist, keyOfUrl);
    expect(played?.maps.map(({ clear }) => clear)).toEqual([makeInitialization()]);
    expect(played?.segments.map(({ clear }) => clear.toString())).toEqual(['a', 'b']);
  });

  it('a live playlist is encrypted with a warning, without its low-latency tags', async () => {
    const { playlist, warnings } = await encryptFiles(
      {
        'live.m3u8': text(
          ...['#EXTM3U', '#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES', '#EXT-X-PART-INF:PART-TARGET=1'],
          ...['#EXT-X-TARGETDURATION:2', '#EXT-X-PART:DURATION=1,URI="p.ts"', '#EXTINF:2,', 'a.ts'],
          '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="q.ts"',
        ),
        'a.ts': 'a',
      },
      'live.m3u8',
    );
    expect(warnings.join()).toMatch(/low-latency.*no #EXT-X-ENDLIST/);
    expect(readFileSync(playlist, 'utf8')).not.toMatch(/PART|HINT|SERVER-CONTROL/);
  });

  it.each([
    ['a missing segment', { 'f.m3u8': oneSegment }, /^f\.m3u8:4: "a\.ts" is not there/],
    [
      'an http URI',
      { 'f.m3u8': mediaPlaylist('#EXTINF:2,', 'http://x/a.ts') },
      /^f\.m3u8:4: "http:\/\/x\/a\.ts" is not/,
    ],
    ['a folder as segment', { 'f.m3u8': oneSegment, 'a.ts/b': '' }, /"a\.ts" is not a file/],
    [
      'a range beyond the end',
      { 'f.m3u8': mediaPlaylist('#EXTINF:2,', '#EXT-X-BYTERANGE:9@1', 'a.ts'), 'a.ts': 'short' },
      /^f\.m3u8:5: bytes 1 to 10 of "a\.ts", which has 5 only/,
    ],
    ['no playlist', { x: '' }, /the playlist .*f\.m3u8 is not there/],
  ] satisfies [string, Record<string, string>, RegExp][])(
    'a presentation with %s is refused by name',
    async (_, files, message) => {
      await expect(encryptFiles(files, 'f.m3u8')).rejects.toThrow(message);
    },
  );

  it.each([
    [{ contentId: 'a/b' }, '--content-id'],
    [{ keyUrlBase: '/keys' }, '--key-url'],
    [{ keyUrlBase: 'ftp://x' }, '--key-url'],
    [{ keyUrlBase: 'https://x/?a=1' }, '--key-url'],
    [{ keyUrlBase: 'https://user:pass@x' }, '--key-url'],
    [{ rotateEverySegments: 0 }, '--rotate-every'],
    [{ rotateEverySegments: 1.5 }, '--rotate-every'],
  ])('the options %j are refused with a message that names %s', async (options, name) => {
    await expect(encryptFiles({ 'f.m3u8': oneSegment, 'a.ts': 'a' }, 'f.m3u8', options)).rejects.toThrow(
      name,
    );
  });
});

describe('the names of encrypted files', () => {
  const files = {
    'film.m3u8': mediaPlaylist(
      ...['#EXT-X-MAP:URI="i.mp4"', '#EXTINF:2,', '#EXT-X-BYTERANGE:5@0', 'all.m4s'],
      ...['#EXT-X-GAP', '#EXTINF:2,', 'gone.m4s', '#EXTINF:2,', '#EXT-X-BYTERANGE:6@5', 'all.m4s'],
    ),
    'i.mp4': makeInitialization(),
    'all.m4s': 'firstsecond',
  };
  const encryptOnce = async () => {
    const { playlist, outFolder } = await encryptFiles(files, 'film.m3u8', { plainNames: false });
    const [played] = playPresentation(playlist, keyOfUrl);
    const maps = (played?.maps ?? []).map(({ path }) => path);
    const segments = (played?.segments ?? []).map(({ path }) => path);
    return { text: played?.text ?? '', maps, segments, outFolder };
  };

  it('segments, byte ranges and initialization sections have eight hex digits of the SHA-256 of their bytes in their names', async () => {
    const { text, maps, segments, outFolder } = await encryptOnce();
    const digits = (path: string) => hash('sha256', readFileSync(path)).slice(0, 8);
    expect(maps.map((path) => basename(path))).toEqual(maps.map((path) => `init-0.${digits(path)}.mp4`));
    expect(segments.map((path) => basename(path))).toEqual(
      segments.map((path, n) => `0000${2 * n}.${digits(path)}.m4s`),
    );
    expect([maps.length, segments.length]).toEqual([1, 2]);
    expect(readdirSync(outFolder)).toHaveLength(4);
    // A gap has no bytes.
    expect(text).toContain('#EXT-X-GAP\n#EXTINF:2,\n00001.m4s\n');
  });

  it('no name of a segment means other bytes after the same presentation is encrypted again', async () => {
    const [first, again] = [await encryptOnce(), await encryptOnce()];
    const names = [...first.segments, ...again.segments].map((path) => basename(path));
    expect(new Set(names).size).toBe(4);
    expect(again.maps.map((path) => basename(path))).toEqual(first.maps.map((path) => basename(path)));
  });
});

describe('a clear playlist that players refuse', () => {
  const encryptLines = async (...lines: string[]) => {
    const files = { 'f.m3u8': text('#EXTM3U', ...lines), 'a.ts': 'a' };
    const { playlist, warnings } = await encryptFiles(files, 'f.m3u8');
    return { written: readFileSync(playlist, 'utf8'), warnings };
  };

  it.each([
    [
      'is below a segment, rounded',
      ['#EXT-X-TARGETDURATION:3', '#EXTINF:3.84,', 'a.ts'],
      4,
      'f.m3u8:2: .*3.84 s',
    ],
    ['is 0', ['#EXT-X-TARGETDURATION:0', '#EXTINF:0.42,', 'a.ts'], 1, 'f.m3u8:2: .*from 1'],
    ['is a fraction', ['#EXT-X-TARGETDURATION: 3.5', '#EXTINF:3.4,', 'a.ts'], 4, 'f.m3u8:2: .*whole number'],
    [
      'is too large for any player',
      [`#EXT-X-TARGETDURATION:${'9'.repeat(30)}`, '#EXTINF:2,', 'a.ts'],
      2,
      'f.m3u8:2: ',
    ],
    ['is missing', ['#EXTINF:2,', 'a.ts'], 2, 'f.m3u8: has no #EXT-X-TARGETDURATION'],
  ] as const)(
    'a playlist whose EXT-X-TARGETDURATION %s is written with one that holds, and a warning names the line',
    async (_, lines, target, warning) => {
      const { written, warnings } = await encryptLines(...lines, '#EXT-X-ENDLIST');
      expect(written.match(/^#EXT-X-TARGETDURATION:.*$/gm)).toEqual([`#EXT-X-TARGETDURATION:${target}`]);
      expect(warnings).toEqual([expect.stringMatching(warning)]);
    },
  );

  it('a playlist whose EXT-X-MEDIA-SEQUENCE stands after a segment is written with it before, and a warning names the line', async () => {
    const { written, warnings } = await encryptLines(
      ...['#EXT-X-TARGETDURATION:2', '#EXTINF:2,', 'a.ts', '#EXT-X-MEDIA-SEQUENCE:7', '#EXT-X-ENDLIST'],
    );
    expect(written).toMatch(/^#EXTM3U\n#EXT-X-VERSION:2\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:7\n/);
    expect(written.match(/MEDIA-SEQUENCE/g)).toHaveLength(1);
    expect(warnings).toEqual([expect.stringMatching(/^f\.m3u8:5: #EXT-X-MEDIA-SEQUENCE/)]);
  });
});

const multivariant = text(
  '#EXTM3U',
  '#EXT-X-VERSION:6',
  '#EXT-X-INDEPENDENT-SEGMENTS',
  '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch, Stereo",URI="audio/de.m3u8"',
  '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="in the picture"',
  '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="de",URI="subs.m3u8"',
  '#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a",SUBTITLES="s"',
  'v/hi.m3u8?session=1',
  '#EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO="a"',
  'v/hi.m3u8?session=1',
  '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="v/iframes.m3u8"',
);
const presentation = {
  'all.m3u8': multivariant,
  'audio/de.m3u8': mediaPlaylist('#EXT-X-MAP:URI="i.mp4"', '#EXTINF:2,', '../v/a.aac'),
  'audio/i.mp4': makeInitialization(),
  'v/a.aac': 'sound',
  'subs.m3u8': mediaPlaylist('#EXTINF:2,', 'a.vtt', '#EXTINF:2,', 'empty.vtt'),
  'a.vtt': 'WEBVTT',
  'empty.vtt': '',
  'v/hi.m3u8': mediaPlaylist('#EXTINF:2,', 'hi0.ts', '#EXTINF:2,', 'hi1.ts'),
  'v/iframes.m3u8': mediaPlaylist(
    ...['#EXT-X-I-FRAMES-ONLY', '#EXTINF:2,', '#EXT-X-BYTERANGE:7@0', 'hi0.ts'],
    ...['#EXTINF:2,', '#EXT-X-BYTERANGE:7@0', 'hi1.ts'],
  ),
  'v/hi0.ts': 'picture 0',
  'v/hi1.ts': 'picture 1',
};

describe('an encrypted multivariant presentation', () => {
  it('an encrypted multivariant presentation has every rendition once, also sound and subtitles, and its other lines unchanged', async () => {
    const { playlist, warnings, renditions, segments } = await encryptFiles(presentation, 'all.m3u8');
    expect(readFileSync(playlist, 'utf8')).toBe(
      text(
        '#EXTM3U',
        '#EXT-X-VERSION:6',
        '#EXT-X-INDEPENDENT-SEGMENTS',
        `#EXT-X-SESSION-KEY:METHOD=AES-128,URI="${keyUrlBase}/keys/film"`,
        '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch, Stereo",URI="audio-de/index.m3u8"',
        '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="in the picture"',
        '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="de",URI="subs/index.m3u8"',
        '#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a",SUBTITLES="s"',
        'v-hi/index.m3u8',
        '#EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO="a"',
        'v-hi/index.m3u8',
        '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="v-iframes/index.m3u8"',
      ),
    );
    const played = playPresentation(playlist, keyOfUrl);
    // The session key is the key of the first encrypted segment. The segments before it are in the clear.
    expect(played[0]?.maps).toMatchObject([{ keyUrl: '', clear: makeInitialization() }]);
    expect(played.map(({ segments }) => segments.map(({ clear }) => clear.toString()))).toEqual([
      ...[['sound'], ['WEBVTT', ''], ['picture 0', 'picture 1']],
      ['picture', 'picture'],
    ]);
    expect(warnings).toEqual([]);
    expect({ renditions, segments }).toEqual({ renditions: 3, segments: 5 });
  });

  it('with perRenditionIds each rendition has its own content id, and the multivariant playlist lists the first key of each', async () => {
    const { playlist, contentIds } = await encryptFiles(presentation, 'all.m3u8', {
      perRenditionIds: true,
      rotateEverySegments: 1,
    });
    expect(contentIds).toEqual(['film-audio-de', 'film-subs', 'film-v-hi']);
    const sessionKeys = readFileSync(playlist, 'utf8').match(/SESSION-KEY.*/g);
    expect(sessionKeys).toEqual(
      contentIds.map((id) => `SESSION-KEY:METHOD=AES-128,URI="${keyUrlBase}/keys/${id}/0"`),
    );
  });

  it('whatever paths a playlist has, nothing is written outside the output folder', async () => {
    const folder = temporaryFolder();
    const { outFolder } = await encryptFiles(
      {
        'in/all.m3u8': text('#EXTM3U', '#EXT-X-STREAM-INF:BANDWIDTH=1', '../up/v.m3u8'),
        'up/v.m3u8': mediaPlaylist('#EXTINF:2,', '../up/../up/./a.ts'),
        'up/a.ts': 'a',
      },
      'in/all.m3u8',
      { folder, sourceRoot: folder },
    );
    expect(readdirSync(folder).sort()).toEqual(['in', 'out', 'up']);
    expect(readdirSync(outFolder, { recursive: true }).sort()).toEqual([
      'all.m3u8',
      'up-v',
      'up-v/00000.ts',
      'up-v/index.m3u8',
    ]);
  });
});
