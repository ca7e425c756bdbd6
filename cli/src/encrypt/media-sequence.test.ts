import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encryptFiles, keyOfUrl } from '../testing/encrypt-files.ts';
import { makeInitialization } from '../testing/media-boxes.ts';
import { playPresentation } from '../testing/play-presentation.ts';

/** A window of a live stream: segments `first` to `last`, whose media says which they are. */
function windowOf(first: bigint, last: bigint, sequence = `#EXT-X-MEDIA-SEQUENCE:${first}`) {
  const files: Record<string, string | Buffer> = { 'i.mp4': makeInitialization() };
  const lines = ['#EXTM3U', '#EXT-X-TARGETDURATION:2', sequence, '#EXT-X-MAP:URI="i.mp4"'];
  for (let number = first; number <= last; number++) {
    files[`s${number}.m4s`] = `segment ${number}`;
    lines.push('#EXTINF:2,', `s${number}.m4s`);
  }
  return { ...files, 'live.m3u8': lines.join('\n') };
}

/** The epoch and the file of each segment, by what the segment says of itself. */
async function encryptWindow(files: Record<string, string | Buffer>, rotateEverySegments?: number) {
  const { playlist, epochs } = await encryptFiles(files, 'live.m3u8', { rotateEverySegments });
  const [played] = playPresentation(playlist, keyOfUrl);
  const segments = (played?.segments ?? []).map(({ clear, keyUrl, path }) => {
    const place = { epoch: keyUrl.split('/').at(-1), file: path.slice(dirname(playlist).length + 1) };
    return [clear.toString(), place] as const;
  });
  return { epochs, segments: new Map(segments), folder: dirname(playlist), text: played?.text };
}

describe('a sliding window that is encrypted again', () => {
  it('a sliding window that is encrypted again keeps epoch and file name of every segment that is still in it', async () => {
    const before = await encryptWindow(windowOf(10n, 15n), 4);
    const after = await encryptWindow(windowOf(13n, 18n), 4);
    expect(before.segments.get('segment 10')).toEqual({ epoch: '2', file: '00010.m4s' });
    expect(before.segments.get('segment 12')).toEqual({ epoch: '3', file: '00012.m4s' });
    for (const number of [13, 14, 15]) {
      expect(after.segments.get(`segment ${number}`)).toEqual(before.segments.get(`segment ${number}`));
    }
    expect(after.segments.get('segment 16')?.epoch).toBe('4');
    expect(before.epochs).toBe(2);
    expect(after.text).toContain('#EXT-X-MEDIA-SEQUENCE:13\n');
  });

  it('a sliding window gives an initialization section the number of its segment, so that no name means another one later', async () => {
    const { folder } = await encryptWindow(windowOf(7n, 8n), 4);
    expect(readdirSync(folder).sort()).toEqual(['00007.m4s', '00008.m4s', 'init-7.mp4', 'live.m3u8']);
  });

  it('a window is refused if the epoch would be larger than the key server knows, and the message explains what to do', async () => {
    // Some packagers count in milliseconds since 1970, some in microseconds.
    const first = 1_700_000_000_000_000n;
    await expect(encryptWindow(windowOf(first, first), 30)).rejects.toThrow(
      /EXT-X-MEDIA-SEQUENCE:1700000000000000.*4294967295.*--rotate-every/,
    );
    const { segments } = await encryptWindow(windowOf(first, first));
    expect([...segments.values()]).toEqual([{ epoch: 'film', file: '1700000000000000.m4s' }]);
  });

  it.each(['-1', '1.5', 'x', '', '18446744073709551616'])(
    'a window is refused with the number "%s"',
    async (number) => {
      const files = windowOf(0n, 0n, `#EXT-X-MEDIA-SEQUENCE:${number}`);
      await expect(encryptWindow(files, 2)).rejects.toThrow(/live\.m3u8:3: #EXT-X-MEDIA-SEQUENCE/);
    },
  );
});
