import { describe, expect, it } from 'vitest';
import { clearTexts, followFolder, liveFiles } from '../testing/follow-live.ts';

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
