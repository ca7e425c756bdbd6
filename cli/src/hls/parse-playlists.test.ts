import { AppError } from '@latchkey/shared/errors';
import { describe, expect, it } from 'vitest';
import { parseMediaPlaylist } from './media-playlist.ts';
import { parseMultivariantPlaylist } from './multivariant-playlist.ts';
import { classifyPlaylist, splitPlaylist } from './playlist-lines.ts';
import { inspectTags } from './refused-tags.ts';

const split = (...lines: string[]) => splitPlaylist('a.m3u8', Buffer.from(lines.join('\n')));
const media = (...lines: string[]) => parseMediaPlaylist(split('#EXTM3U', ...lines));
const detailOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).code).toBe('VALIDATION_FAILED');
    return (error as AppError).message;
  }
  throw new Error('nothing was thrown');
};

describe('a playlist', () => {
  it('a playlist may have a byte order mark and lines that end in CRLF', () => {
    const { lines } = splitPlaylist('a.m3u8', Buffer.from('\uFEFF#EXTM3U\r\n#EXTINF:2,\r\na.ts\r\n'));
    expect(lines.map(({ text }) => text)).toEqual(['#EXTM3U', '#EXTINF:2,', 'a.ts']);
  });

  it('a playlist that is not UTF-8 is refused', () => {
    expect(detailOf(() => splitPlaylist('a.m3u8', Buffer.from([0x23, 0xff])))).toContain(
      'a.m3u8: is not UTF-8',
    );
  });

  it('a playlist whose first line is not #EXTM3U is refused', () => {
    expect(detailOf(() => split('<html>'))).toContain('does not begin with #EXTM3U');
  });

  it('a playlist with tags of both kinds, or of neither, is refused', () => {
    const both = split('#EXTM3U', '#EXTINF:2,', 'a.ts', '#EXT-X-STREAM-INF:BANDWIDTH=1', 'b.m3u8');
    expect(detailOf(() => classifyPlaylist(both))).toContain('can be one only');
    expect(detailOf(() => classifyPlaylist(split('#EXTM3U')))).toContain('neither segments nor variants');
  });

  it.each([
    ['#EXT-X-KEY:METHOD=AES-128,URI="k"', 'METHOD=AES-128'],
    ['#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://k"', 'encrypted already'],
    ['#EXT-X-SESSION-KEY:METHOD=AES-128,URI="k"', 'encrypted already'],
    ['#EXT-X-DEFINE:NAME="a",VALUE="b"', 'variables are not resolved'],
    ['#EXT-X-SKIP:SKIPPED-SEGMENTS=3', 'delta update'],
    ['#EXT-X-KEY:METHOD', 'not an attribute list'],
  ])('a playlist with %s is refused by its line', (tag, reason) => {
    const detail = detailOf(() => inspectTags(split('#EXTM3U', tag)));
    expect(detail).toContain('a.m3u8:2');
    expect(detail).toContain(reason);
  });

  it('a playlist with EXT-X-KEY:METHOD=NONE counts as clear', () => {
    expect(inspectTags(split('#EXTM3U', '#EXT-X-KEY:METHOD=NONE'))).toEqual([]);
  });

  it('a playlist gets one warning for its low-latency tags, and one for each tag that names another kind of file', () => {
    const text = split(
      '#EXTM3U',
      '#EXT-X-PART:DURATION=1,URI="p1.mp4"',
      '#EXT-X-PART:DURATION=1,URI="p2.mp4"',
      '#EXT-X-IMAGE-STREAM-INF:BANDWIDTH=1,URI="thumbnails.m3u8"',
    );
    const warnings = inspectTags(text);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain('low-latency');
    expect(warnings[1]).toContain('#EXT-X-IMAGE-STREAM-INF');
  });
});

describe('a media playlist', () => {
  it('a byte range without an offset follows the previous one of the same file', () => {
    const { segments } = media(
      ...['#EXTINF:2,', '#EXT-X-BYTERANGE:100@10', 'a.ts'],
      ...['#EXT-X-BYTERANGE:50', '#EXTINF:2,', 'a.ts'],
    );
    expect(segments.map(({ byteRange }) => byteRange)).toEqual([
      { offset: 10, length: 100 },
      { offset: 110, length: 50 },
    ]);
  });

  it('a byte range without an offset after another file is refused', () => {
    const lines = ['#EXTINF:2,', '#EXT-X-BYTERANGE:9@0', 'a.ts', '#EXTINF:2,', '#EXT-X-BYTERANGE:9', 'b.ts'];
    expect(detailOf(() => media(...lines))).toMatch(/a\.m3u8:6: "9" has no offset/);
  });

  it.each(['x', '0@0', '-1@0', '5@', '5@-1', '1.5'])('the byte range %s is refused', (range) => {
    expect(detailOf(() => media('#EXTINF:2,', `#EXT-X-BYTERANGE:${range}`, 'a.ts'))).toContain('a.m3u8:3');
  });

  it('a segment without #EXTINF is refused by its line', () => {
    expect(detailOf(() => media('a.ts'))).toContain('a.m3u8:2: "a.ts" has no #EXTINF');
  });

  it('a media playlist is read with its I-frame tag, its first number and the seconds of its segments', () => {
    const lines = [
      '#EXT-X-MEDIA-SEQUENCE:7',
      '#EXT-X-I-FRAMES-ONLY',
      '#EXTINF:2.5,',
      'a.ts',
      '#EXTINF:x,',
      'b.ts',
    ];
    const { iFramesOnly, mediaSequence, segments } = media(...lines);
    expect({ iFramesOnly, mediaSequence }).toEqual({ iFramesOnly: true, mediaSequence: 7n });
    expect(segments.map(({ seconds }) => seconds)).toEqual([2.5, 0]);
    expect(media('#EXTINF:2,', 'a.ts')).toMatchObject({ iFramesOnly: false, mediaSequence: 0n });
  });

  it('an EXT-X-MAP without a URI is refused', () => {
    expect(detailOf(() => media('#EXT-X-MAP:BYTERANGE="1@0"', '#EXTINF:2,', 'a.ts'))).toContain(
      'without a URI',
    );
  });

  it('a media playlist without segments is refused', () => {
    expect(detailOf(() => media('#EXT-X-TARGETDURATION:2'))).toContain('has no segment');
  });
});

describe('a multivariant playlist', () => {
  it('an EXT-X-I-FRAME-STREAM-INF without a URI is refused by its line', () => {
    const lines = split('#EXTM3U', '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1');
    expect(detailOf(() => parseMultivariantPlaylist(lines))).toContain('a.m3u8:2');
  });

  it('a URI without #EXT-X-STREAM-INF is refused, and the tag without a URI too', () => {
    expect(detailOf(() => parseMultivariantPlaylist(split('#EXTM3U', 'a.m3u8')))).toContain('a.m3u8:2');
    const lonely = split('#EXTM3U', '#EXT-X-STREAM-INF:BANDWIDTH=1');
    expect(detailOf(() => parseMultivariantPlaylist(lonely))).toContain('without a URI after it');
  });
});
