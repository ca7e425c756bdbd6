import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clearTexts, followFolder, liveFiles, livePlaylist } from '../testing/follow-live.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { createFolderSource } from './live-source.ts';

describe('a packager that starts again', () => {
  it.each([
    ['with other names', liveFiles(0, 'x', 'y'), ['x', 'y']],
    ['with the same names and other bytes', { ...liveFiles(0, 'a'), 'a.ts': 'A' }, ['A']],
  ])(
    'a packager that starts again %s is followed after a discontinuity, and no number or vector is used twice',
    async (_, files, added) => {
      const channel = followFolder();
      await channel.take(liveFiles(0, 'a', 'b', 'c'));
      await channel.take(files);
      const played = channel.play();
      expect(clearTexts(played)).toEqual(['a', 'b', 'c', ...added]);
      expect(channel.text().match(/#EXT-X-DISCONTINUITY\n/g)).toHaveLength(1);
      expect(channel.text()).toMatch(/00002\.ts\n#EXT-X-DISCONTINUITY\n#EXT-X-KEY.*\n#EXTINF:2,\n00003\.ts/);
      expect(new Set(played.segments.map(({ iv }) => iv)).size).toBe(played.segments.length);
    },
  );

  it('the window of before leaves one by one while the new one grows', async () => {
    const channel = followFolder();
    await channel.take(liveFiles(0, 'a', 'b', 'c'));
    await channel.take(liveFiles(0, 'x'));
    await channel.take(liveFiles(0, 'x', 'y'));
    expect(clearTexts(channel.play())).toEqual(['b', 'c', 'x', 'y']);
    await channel.take(liveFiles(0, 'x', 'y', 'z'));
    expect(clearTexts(channel.play())).toEqual(['c', 'x', 'y', 'z']);
    await channel.take(liveFiles(1, 'y', 'z', 'w'));
    await channel.take(liveFiles(2, 'z', 'w', 'v'));
    expect(clearTexts(channel.play())).toEqual(['z', 'w', 'v']);
    expect(channel.text()).toContain('#EXT-X-MEDIA-SEQUENCE:5\n');
    expect(channel.text()).toContain('#EXT-X-DISCONTINUITY-SEQUENCE:1\n');
  });

  it('a packager that started again while this process was not running is noticed although its numbers go on', async () => {
    const channel = followFolder();
    await channel.take(liveFiles(0, 'a', 'b'));
    await channel.restart();
    await channel.take({ ...liveFiles(0, 'a', 'b', 'c'), 'a.ts': 'A', 'b.ts': 'B', 'c.ts': 'C' });
    expect(clearTexts(channel.play())).toEqual(['a', 'b', 'A', 'B', 'C']);
    expect(channel.text()).toMatch(/00001\.ts\n#EXT-X-DISCONTINUITY\n/);
  });

  it('an older copy of the playlist, as a cache may give, is ignored', async () => {
    const channel = followFolder();
    await channel.take(liveFiles(0, 'a', 'b', 'c'));
    const before = channel.text();
    await channel.take(liveFiles(0, 'a', 'b'));
    expect(channel.text()).toBe(before);
    await channel.take(liveFiles(0, 'a', 'b', 'c', 'd'));
    expect(clearTexts(channel.play())).toEqual(['a', 'b', 'c', 'd']);
    expect(channel.warnings).toEqual([]);
  });
});

describe('a server that signs its URLs', () => {
  it.each([
    ['query', (look: number, name: string) => [`${name}.ts?${look}~exp=1`, `${name}.ts`]],
    ['folder', (look: number, name: string) => [`session-${look}/${name}.ts`, `session-${look}/${name}.ts`]],
  ])('a segment with another %s at each look is the same segment', async (_, locate) => {
    const channel = followFolder();
    const take = async (look: number, first: number, ...names: string[]) => {
      let text = livePlaylist(first, ...names);
      const files = names.map((name) => {
        const [uri = '', file = ''] = locate(look, name);
        text = text.replace(`\n${name}.ts\n`, `\n${uri}\n`);
        return [file, name] as const;
      });
      await channel.take({ ...Object.fromEntries(files), 'live.m3u8': text });
    };
    await take(0, 0, 'a', 'b', 'c');
    await take(1, 0, 'a', 'b', 'c');
    await take(2, 1, 'b', 'c', 'd');
    await channel.restart();
    await take(3, 2, 'c', 'd', 'e');
    expect(clearTexts(channel.play())).toEqual(['c', 'd', 'e']);
    expect(channel.text()).toContain('#EXT-X-MEDIA-SEQUENCE:2\n');
    expect(channel.text()).not.toContain('DISCONTINUITY');
    expect(channel.warnings).toEqual([]);
  });

  it('no segment is read again when only the queries have changed', async () => {
    const folder = temporaryFolder();
    const source = createFolderSource(join(folder, 'in'));
    const opened: string[] = [];
    const read: typeof source.read = (location, range) => {
      opened.push(basename(location));
      return source.read(location, range);
    };
    const channel = followFolder({ source: { ...source, read } }, folder);
    const { 'live.m3u8': text = '', ...segments } = liveFiles(0, 'a', 'b');
    for (const token of ['1', '2', '3'])
      await channel.take({ ...segments, 'live.m3u8': text.replaceAll('.ts', `.ts?token=${token}`) });
    expect(opened).toEqual(['a.ts', 'b.ts']);
  });

  it('a new name whose file cannot be read yet adds nothing, until its bytes show that the packager has started again', async () => {
    const channel = followFolder();
    await channel.take(liveFiles(0, 'a', 'b'));
    const { 'x.ts': bytes = '', ...files } = liveFiles(0, 'x');
    await expect(channel.take(files)).rejects.toThrow('x.ts');
    await channel.take({ 'x.ts': bytes, 'live.m3u8': livePlaylist(0, 'x', '#EXT-X-ENDLIST') });
    expect(clearTexts(channel.play())).toEqual(['a', 'b', 'x']);
    expect(channel.text().match(/#EXT-X-DISCONTINUITY\n/g)).toHaveLength(1);
  });
});
