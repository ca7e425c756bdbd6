import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clearTexts, followFolder, liveFiles, livePlaylist } from '../testing/follow-live.ts';
import { makeFragment, makeInitialization } from '../testing/media-boxes.ts';

const end = '#EXT-X-ENDLIST';

describe('a rendition that is followed', () => {
  it('every segment of a live playlist decrypts to the bytes of the packager, with its number and its lines', async () => {
    const channel = followFolder();
    const dateRange = '#EXT-X-DATERANGE:ID="ad",START-DATE="2026-01-01T00:00:02Z",DURATION=2';
    await channel.take(liveFiles(7, 'a', '#EXT-X-DISCONTINUITY', dateRange, '#EXT-X-UNKNOWN:1', 'b'));
    expect(clearTexts(channel.play())).toEqual(['a', 'b']);
    const lines = channel.text().split('\n');
    expect(lines).toContain('#EXT-X-MEDIA-SEQUENCE:7');
    const second = lines.slice(lines.indexOf('00007.ts') + 1);
    const key = expect.stringMatching(
      /^#EXT-X-KEY:METHOD=AES-128,URI="[^"]+\/keys\/channel\/0",IV=0x[0-9a-f]{32}$/,
    );
    expect(second).toEqual([
      '#EXT-X-DISCONTINUITY',
      dateRange,
      '#EXT-X-UNKNOWN:1',
      key,
      '#EXTINF:2,',
      '00008.ts',
      '',
    ]);
  });

  it('a segment that leaves the window leaves the playlist at once, and its file after the length of the longest playlist', async () => {
    const channel = followFolder();
    await channel.take(liveFiles(0, 'a', 'b', 'c'));
    await channel.take(liveFiles(1, 'b', 'c', 'd'));
    expect(clearTexts(channel.play())).toEqual(['b', 'c', 'd']);
    // The segment of 2 s and the longest playlist of 6 s (RFC 8216 section 6.2.2).
    channel.clock.advance(7_999);
    await channel.take(liveFiles(2, 'c', 'd', 'e'));
    expect(channel.files()).toContain('00000.ts');
    channel.clock.advance(1);
    await channel.take(liveFiles(3, 'd', 'e', 'f'));
    expect(channel.files()).not.toContain('00000.ts');
    expect(channel.files()).toContain('00001.ts');
  });

  it('while nothing can be published, as on a full disk, files are removed when their time has passed, but none that the playlist names', async () => {
    const channel = followFolder();
    await channel.take(liveFiles(0, 'a', 'b'));
    await channel.take(liveFiles(1, 'b', 'c'));
    const before = channel.text();
    // A folder in the place of the next segment: it cannot be written.
    mkdirSync(join(channel.out, '00003.ts'));
    channel.clock.advance(60_000);
    await expect(channel.take(liveFiles(2, 'c', 'd'))).rejects.toThrow();
    expect(channel.text()).toBe(before);
    channel.clock.advance(60_000);
    await expect(channel.take({})).rejects.toThrow();
    expect(channel.files()).toEqual(['00001.ts', '00002.ts', '00003.ts', 'live.m3u8']);
    rmdirSync(join(channel.out, '00003.ts'));
    await channel.take({});
    expect(clearTexts(channel.play())).toEqual(['c', 'd']);
  });

  it('a discontinuity that leaves the window raises the discontinuity sequence, also if the packager does not count', async () => {
    const channel = followFolder();
    await channel.take(liveFiles(0, 'a', '#EXT-X-DISCONTINUITY', 'b', 'c'));
    await channel.take(liveFiles(1, '#EXT-X-DISCONTINUITY', 'b', 'c', 'd'));
    expect(channel.text()).not.toContain('DISCONTINUITY-SEQUENCE');
    expect(channel.text()).toContain('#EXT-X-DISCONTINUITY\n');
    await channel.take(liveFiles(2, 'c', 'd', 'e'));
    expect(channel.text()).toContain('#EXT-X-DISCONTINUITY-SEQUENCE:1\n');
    expect(channel.text()).not.toContain('#EXT-X-DISCONTINUITY\n');
  });

  it('a date that the packager writes before the first segment only stands before the first segment of each playlist', async () => {
    const channel = followFolder();
    await channel.take(liveFiles(0, '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z', 'a', 'b'));
    await channel.take(liveFiles(1, '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:02Z', 'b', 'c'));
    expect(channel.text().match(/#EXT-X-PROGRAM.*/g)).toEqual([
      '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:02Z',
    ]);
  });

  it('the end of the source ends the playlist, and a new process says so too', async () => {
    const channel = followFolder();
    expect(await channel.take(liveFiles(0, 'a'))).toBe(false);
    expect(await channel.take(liveFiles(0, 'a', 'b', end))).toBe(true);
    expect(channel.text()).toMatch(/\n00001\.ts\n#EXT-X-ENDLIST\n$/);
    await channel.restart();
    expect(await channel.take({})).toBe(true);
    expect(clearTexts(channel.play())).toEqual(['a', 'b']);
  });

  it('a playlist that is half written adds nothing until it is whole', async () => {
    const channel = followFolder();
    const { 'live.m3u8': whole, ...segments } = liveFiles(0, 'a', 'b');
    for (let length = 0; length < (whole?.length ?? 0); length += 3) {
      await channel.take({ ...segments, 'live.m3u8': whole?.slice(0, length) ?? '' });
    }
    await channel.take({ 'live.m3u8': whole ?? '' });
    expect(clearTexts(channel.play())).toEqual(['a', 'b']);
    expect(channel.warnings).toEqual([]);
  });

  it('a segment whose file is never there becomes a gap after three target durations, and the next one is played', async () => {
    const channel = followFolder();
    const { 'b.ts': _, ...files } = liveFiles(0, 'a', 'b', 'c');
    await channel.take(files);
    expect(clearTexts(channel.play())).toEqual(['a']);
    channel.clock.advance(6_000);
    await channel.take({});
    expect(clearTexts(channel.play())).toEqual(['a', 'c']);
    expect(channel.text()).toContain('#EXT-X-GAP\n#EXTINF:2,\n00001.ts\n');
    expect(channel.warnings).toEqual([expect.stringContaining('segment 1 becomes a gap')]);
  });

  it('an encrypted source is refused, and nothing is written', async () => {
    const channel = followFolder();
    const taken = channel.take(liveFiles(0, '#EXT-X-KEY:METHOD=AES-128,URI="k"', 'a'));
    await expect(taken).rejects.toThrow('encrypted already');
    expect(channel.files()).toEqual([]);
  });
});

describe('fMP4', () => {
  const playlistOf = (first: number, map: string, ...names: string[]) =>
    livePlaylist(first, `#EXT-X-MAP:URI="${map}"`, ...names).replaceAll('.ts', '.m4s');

  it('the first EXT-X-MAP stands before the first EXT-X-KEY, and METHOD=NONE only before a later one', async () => {
    const channel = followFolder();
    const [init, other] = [makeInitialization('1'), makeInitialization('2')];
    const media = (mark: string) => makeFragment(Buffer.from(mark));
    await channel.take({
      'i.mp4': init,
      '0.m4s': media('0'),
      '1.m4s': media('1'),
      'live.m3u8': playlistOf(0, 'i.mp4', '0', '1'),
    });
    expect(channel.text()).not.toContain('METHOD=NONE');
    expect(channel.text().indexOf('#EXT-X-MAP')).toBeLessThan(channel.text().indexOf('#EXT-X-KEY'));
    const changed = playlistOf(0, 'i.mp4', '0', '1', '#EXT-X-MAP:URI="j.mp4"', '2');
    await channel.take({ 'j.mp4': other, '2.m4s': media('2'), 'live.m3u8': changed });
    const played = channel.play();
    expect(played.maps.map(({ clear }) => clear)).toEqual([init, other]);
    expect(played.segments.map(({ clear }) => clear)).toEqual(['0', '1', '2'].map(media));
    expect(played.text.match(/METHOD=NONE\n#EXT-X-MAP/g)).toHaveLength(1);
  });

  it('an EXT-X-MAP that names media is refused, since it would be on disk in the clear', async () => {
    const channel = followFolder();
    const media = makeFragment(Buffer.from('picture'));
    const files = { 'i.mp4': media, '0.m4s': media, 'live.m3u8': playlistOf(0, 'i.mp4', '0') };
    await expect(channel.take(files)).rejects.toThrow('more than an initialization section');
    expect(channel.files()).toEqual([]);
  });
});

describe('a process that goes on', () => {
  it('a playlist that a killed process did not write any more is written at the start', async () => {
    const channel = followFolder();
    await channel.take(liveFiles(0, 'a'));
    const older = channel.text();
    await channel.take(liveFiles(0, 'a', 'b'));
    const newer = channel.text();
    writeFileSync(join(channel.out, 'live.m3u8'), older);
    await channel.restart();
    expect(channel.text()).toBe(newer);
  });

  it('the state is written before the playlist, so a segment that players may have seen is never encrypted again', async () => {
    const channel = followFolder();
    await channel.take(liveFiles(0, 'a'));
    const playlist = join(channel.out, 'live.m3u8');
    rmSync(playlist);
    // A folder in its place: the playlist cannot be written.
    mkdirSync(playlist);
    await expect(channel.take(liveFiles(0, 'a', 'b'))).rejects.toThrow();
    const encrypted = readFileSync(join(channel.out, '00001.ts'));
    rmdirSync(playlist);
    await channel.restart();
    expect(clearTexts(channel.play())).toEqual(['a', 'b']);
    expect(readFileSync(join(channel.out, '00001.ts'))).toEqual(encrypted);
  });

  it('files that a killed process left unfinished are removed, and others stay', async () => {
    const channel = followFolder();
    await channel.take(liveFiles(0, 'a'));
    for (const name of ['.00001.ts.partial', '00001.ts', '00001.3fa91c02.ts', 'poster.jpg'])
      writeFileSync(join(channel.out, name), 'x');
    await channel.restart();
    expect(readdirSync(channel.out).sort()).toEqual([
      '.latchkey-live.json',
      '00000.ts',
      'live.m3u8',
      'poster.jpg',
    ]);
  });

  it('segments that were lost meanwhile start a new window with the numbers of the source', async () => {
    const channel = followFolder();
    await channel.take(liveFiles(0, 'a', 'b'));
    await channel.restart();
    await channel.take(liveFiles(5, 'f', 'g'));
    expect(channel.text()).toContain('#EXT-X-MEDIA-SEQUENCE:5\n');
    expect(clearTexts(channel.play())).toEqual(['f', 'g']);
    expect(channel.warnings).toEqual([expect.stringContaining('3 segment(s) left')]);
  });

  it('segments that were lost and then one that cannot be read stop nothing for good', async () => {
    const channel = followFolder();
    await channel.take(liveFiles(0, 'a', 'b'));
    await channel.take({
      'live.m3u8': livePlaylist(5, '../outside', 'g'),
      'g.ts': 'g',
      '../outside.ts': 'x',
    });
    channel.clock.advance(6_000);
    await channel.take({});
    expect(clearTexts(channel.play())).toEqual(['g']);
  });

  it('a state that cannot be read is refused', async () => {
    const channel = followFolder();
    await channel.take(liveFiles(0, 'a'));
    writeFileSync(join(channel.out, '.latchkey-live.json'), '{"form":1,"entr');
    await expect(channel.restart()).rejects.toThrow('give a new --out folder');
  });
});

it('a segment of a live playlist has eight hex digits of the SHA-256 of its bytes in its name, and keeps it after a restart', async () => {
  const channel = followFolder({ plainNames: false });
  await channel.take(liveFiles(0, 'a', 'b'));
  const paths = channel.play().segments.map(({ path }) => path);
  expect(paths.map((path) => basename(path))).toEqual(
    paths.map((path, n) => `0000${n}.${hash('sha256', readFileSync(path)).slice(0, 8)}.ts`),
  );
  const before = channel.text();
  await channel.restart();
  expect(channel.text()).toBe(before);
  await channel.take(liveFiles(1, 'b', 'c'));
  expect(clearTexts(channel.play())).toEqual(['b', 'c']);
  channel.clock.advance(60_000);
  await channel.take({});
  expect(channel.files()).toHaveLength(3);
});

it('two live encryptions of the same segments into new folders share no name', async () => {
  const names = [];
  for (const channel of [followFolder({ plainNames: false }), followFolder({ plainNames: false })]) {
    await channel.take(liveFiles(0, 'a', 'b'));
    names.push(...channel.play().segments.map(({ path }) => basename(path)));
  }
  expect(new Set(names).size).toBe(4);
});

it('no file below the output folder ever contains the bytes of a segment, and keys are not stored', async () => {
  const channel = followFolder();
  const secret = 'clear media '.repeat(100);
  await channel.take({ 'live.m3u8': livePlaylist(0, 'a', 'b'), 'a.ts': secret, 'b.ts': secret });
  rmSync(join(channel.folder, 'in'), { recursive: true });
  for (const name of readdirSync(channel.out)) {
    expect(readFileSync(join(channel.out, name)).includes('clear media')).toBe(false);
  }
});
