import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { encryptFiles, keyOfUrl, keyUrlBase } from '../testing/encrypt-files.ts';
import {
  makeBox,
  makeFragment,
  makeInitialization,
  makeProgramTable,
  makeTransportPacket,
} from '../testing/media-boxes.ts';
import { playPresentation } from '../testing/play-presentation.ts';

const playlistOf = (...lines: string[]) =>
  ['#EXTM3U', '#EXT-X-TARGETDURATION:2', ...lines, '#EXT-X-ENDLIST', ''].join('\n');
const segment = ['#EXTINF:2,', 'a.m4s'];
const map = (name: string) => `#EXT-X-MAP:URI="${name}"`;
const media = makeFragment(Buffer.from('picture and sound'));

/** The tags that decide how a player reads files, in their order. */
const keysAndMaps = (text: string) =>
  [...text.matchAll(/^#EXT-X-(?:KEY:METHOD=(\w+)|(MAP))|^([^#\s]\S*)/gm)].map(
    ([, method, isMap, uri]) => method ?? isMap ?? uri,
  );

async function encryptMap(content: Uint8Array, name = 'i.mp4') {
  const files = { 'f.m3u8': playlistOf(map(name), ...segment), [name]: content, 'a.m4s': media };
  const { playlist, warnings } = await encryptFiles(files, 'f.m3u8');
  const [played] = playPresentation(playlist, keyOfUrl);
  return { warnings, text: played?.text ?? '', map: played?.maps[0] };
}

describe('an initialization section', () => {
  it('an initialization section is written in the clear, before the first key, and the playlist does not begin with METHOD=NONE', async () => {
    const { text, map, warnings } = await encryptMap(makeInitialization('one'));
    expect(keysAndMaps(text).slice(0, 3)).toEqual(['MAP', 'AES', '00000.m4s']);
    expect(map?.keyUrl).toBe('');
    expect(readFileSync(map?.path ?? '')).toEqual(makeInitialization('one'));
    expect(warnings).toEqual([]);
  });

  it('an initialization section after the first key stands behind METHOD=NONE, and each segment has its key again', async () => {
    const lines = [
      ...[map('i.mp4'), ...segment, ...segment, '#EXT-X-DISCONTINUITY', map('j.mp4'), ...segment],
      ...['#EXT-X-DISCONTINUITY', map('i.mp4'), '#EXT-X-GAP', '#EXTINF:2,', 'gone.m4s'],
      ...[map('j.mp4'), ...segment],
    ];
    const files = {
      'f.m3u8': playlistOf(...lines),
      'i.mp4': makeInitialization('one'),
      'j.mp4': makeInitialization('two'),
      'a.m4s': media,
    };
    const { playlist } = await encryptFiles(files, 'f.m3u8', { rotateEverySegments: 1 });
    const [played] = playPresentation(playlist, keyOfUrl);
    expect(keysAndMaps(played?.text ?? '')).toEqual([
      ...['MAP', 'AES', '00000.m4s', 'AES', '00001.m4s', 'NONE', 'MAP', 'AES', '00002.m4s'],
      ...['NONE', 'MAP', '00003.m4s', 'MAP', 'AES', '00004.m4s'],
    ]);
    expect(played?.maps.map(({ clear }) => clear)).toEqual(
      ['one', 'two', 'one', 'two'].map(makeInitialization),
    );
    // Each is written once, and nothing is read of the gap.
    expect(new Set(played?.maps.map(({ path }) => path)).size).toBe(2);
    expect(played?.text).toContain('#EXT-X-GAP\n#EXTINF:2,\n00003.m4s\n');
    expect(played?.segments.map(({ clear }) => clear)).toEqual([media, media, media, media]);
    expect(played?.segments.map(({ keyUrl }) => keyUrl.split('/').at(-1))).toEqual(['0', '1', '2', '4']);
  });

  it.each([
    [
      'the tables of MPEG-TS',
      [makeProgramTable(0x1000), makeTransportPacket(0x1000), makeTransportPacket(0x1fff)],
    ],
    ['the head of WebVTT', [Buffer.from('WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0\n')]],
    [
      'boxes with a 64-bit size',
      [Buffer.from([0, 0, 0, 1]), Buffer.from('moov'), Buffer.from([0, 0, 0, 0, 0, 0, 0, 16])],
    ],
    ['a last box that goes to the end', [Buffer.from([0, 0, 0, 0]), Buffer.from('moov and so on')]],
  ])('an initialization section in the clear may be %s', async (_, parts) => {
    expect((await encryptMap(Buffer.concat(parts))).map?.keyUrl).toBe('');
  });
});

describe('the file that EXT-X-MAP names stays encrypted, and a warning reports it,', () => {
  it.each([
    ['if it holds media after the initialization section', [makeInitialization(), media]],
    ['if it holds still pictures', [makeInitialization(), makeBox('meta', Buffer.from('idat'))]],
    ['if it is cut within a box', [makeInitialization().subarray(0, -1), Buffer.alloc(0)]],
    [
      'if a box has an implausible size',
      [makeInitialization(), Buffer.from([0, 0, 0, 3]), Buffer.from('moov')],
    ],
    [
      'if a 64-bit size is smaller than its own head',
      [Buffer.from([0, 0, 0, 1]), Buffer.from('moov'), Buffer.alloc(8)],
    ],
    ['if it is a stream of MPEG-TS with pictures', [makeProgramTable(0x1000), makeTransportPacket(0x100)]],
    [
      'if a packet of MPEG-TS is not whole',
      [makeProgramTable(0x1000), makeTransportPacket(0x1000).subarray(1)],
    ],
    ['if it is subtitles', [Buffer.from('WEBVTT\n\n00:01.000 --> 00:02.000\nwords\n')]],
    ['if its format is unknown', [Buffer.from('some picture')]],
    ['if it is too short for a box', [Buffer.from('x')]],
  ])('the file that EXT-X-MAP names is encrypted with a warning %s', async (_, parts) => {
    const content = Buffer.concat(parts);
    const { text, map, warnings } = await encryptMap(content);
    expect(keysAndMaps(text).slice(0, 4)).toEqual(['AES', 'MAP', 'AES', '00000.m4s']);
    expect(map?.keyUrl).toBe(`${keyUrlBase}/keys/film`);
    expect(map?.clear).toEqual(content);
    // Compared whole: a single byte of the content stands somewhere in 16 encrypted ones once in 16 times.
    expect(readFileSync(map?.path ?? '')).not.toEqual(content);
    expect(warnings).toEqual([expect.stringMatching(/f\.m3u8:3: .*"i\.mp4".*encrypted.*VLC/)]);
  });
});
