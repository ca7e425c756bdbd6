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
  it('may have a byte order mark and lines that end in CRLF', () => {
    const { lines } = splitPlaylist('a.m3u8', Buffer.from('\uFEFF#EXTM3U\r\n#EXTINF:2,\r\na.ts\r\n'));
    expect(lines.map(({ text }) => text)).toEqual(['#EXTM3U', '#EXTINF:2,', 'a.ts']);
  });

  it('is refused where it is not UTF-8', () => {
    expect(detailOf(() => splitPlaylist('a.m3u8', Buffer.from([0x23, 0xff])))).toContain(
      'a.m3u8: is not UTF-8',
    );
  });

  it('is refused where #EXTM3U is not its first line', () => {
    expect(detailOf(() => split('<html>'))).toContain('does not begin with #EXTM3U');
  });

  it('is refused where it has tags of both sorts, or of neither', () => {
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
  ])('is refused with %s, by its line', (tag, reason) => {
    const detail = detailOf(() => inspectTags(split('#EXTM3U', tag)));
    expect(detail).toContain('a.m3u8:2');
    expect(detail).toContain(reason);
  });

  it('with EXT-X-KEY:METHOD=NONE is clear', () => {
    expect(inspectTags(split('#EXTM3U', '#EXT-X-KEY:METHOD=NONE'))).toEqual([]);
  });

  it('warns once of low-latency tags, and of each tag that names a file of its own', () => {
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
  it('takes a byte range without an offset as following the one before in the same file', () => {
    const { segments } = media(
      ...['#EXTINF:2,', '#EXT-X-BYTERANGE:100@10', 'a.ts'],
      ...['#EXT-X-BYTERANGE:50', '#EXTINF:2,', 'a.ts'],
    );
    expect(segments.map(({ byteRange }) => byteRange)).toEqual([
      { offset: 10, length: 100 },
      { offset: 110, length: 50 },
    ]);
  });

  it('refuses a byte range without an offset after another file', () => {
    const lines = ['#EXTINF:2,', '#EXT-X-BYTERANGE:9@0', 'a.ts', '#EXTINF:2,', '#EXT-X-BYTERANGE:9', 'b.ts'];
    expect(detailOf(() => media(...lines))).toMatch(/a\.m3u8:6: "9" has no offset/);
  });

  it.each(['x', '0@0', '-1@0', '5@', '5@-1', '1.5'])('refuses the byte range %s', (range) => {
    expect(detailOf(() => media('#EXTINF:2,', `#EXT-X-BYTERANGE:${range}`, 'a.ts'))).toContain('a.m3u8:3');
  });

  it('refuses a segment without #EXTINF, by its line', () => {
    expect(detailOf(() => media('a.ts'))).toContain('a.m3u8:2: "a.ts" has no #EXTINF');
  });

  it('knows whether it is an I-frame playlist, its first number and the seconds of its segments', () => {
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

  it('refuses an EXT-X-MAP without a URI', () => {
    expect(detailOf(() => media('#EXT-X-MAP:BYTERANGE="1@0"', '#EXTINF:2,', 'a.ts'))).toContain(
      'without a URI',
    );
  });

  it('refuses a playlist without segments', () => {
    expect(detailOf(() => media('#EXT-X-TARGETDURATION:2'))).toContain('has no segment');
  });
});

describe('a multivariant playlist', () => {
  it('refuses an I-frame playlist without a URI, by its line', () => {
    const lines = split('#EXTM3U', '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1');
    expect(detailOf(() => parseMultivariantPlaylist(lines))).toContain('a.m3u8:2');
  });

  it('refuses a URI without #EXT-X-STREAM-INF and the tag without a URI', () => {
    expect(detailOf(() => parseMultivariantPlaylist(split('#EXTM3U', 'a.m3u8')))).toContain('a.m3u8:2');
    const lonely = split('#EXTM3U', '#EXT-X-STREAM-INF:BANDWIDTH=1');
    expect(detailOf(() => parseMultivariantPlaylist(lonely))).toContain('without a URI after it');
  });
});
