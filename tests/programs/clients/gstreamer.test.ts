import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { answersOf, servedPaths } from '@latchkey/support/playback/key-requests';
import { describe, expect, it, vi } from 'vitest';
import { type ClientSetup, openClientSetup, pictures, tokenPlaceOf } from './client-setup.ts';
import { runProgram } from './run-program.ts';

vi.setConfig({ testTimeout: 120_000 });
const gstLaunch = process.env.GST_LAUNCH_PATH;
/** A picture of 320 x 180 in I420: one byte for the brightness of each point, and half a byte for its colour. */
const pictureBytes = (320 * 180 * 3) / 2;
/** `uridecodebin3` sometimes crashes after it has given up a stream. Whatever ends it, it has said by then what is wrong. */
const giveUpMs = 60_000;

// Vitest also runs the body of a suite that it skips, so nothing may be started there.
const stage = (gstLaunch ? await openClientSetup() : undefined) as ClientSetup;

describe.skipIf(!gstLaunch)('GStreamer', () => {
  let runs = 0;
  /** @param source elements that give video and sound, named `film` @returns decoded pictures, and the program's output */
  async function play(
    source: readonly string[],
    limitMs?: number,
  ): Promise<{ pictures: number; output: string }> {
    const file = join(stage.folder, `played-${runs++}.raw`);
    const video = ['film.', '!', 'queue', '!', 'videoconvert', '!', 'video/x-raw,format=I420'];
    const { output } = await runProgram(
      gstLaunch ?? '',
      // Without its own handler of faults, which waits for a debugger.
      ['-q', '--no-fault', ...source, ...video, '!', 'filesink', `location=${file}`],
      { cwd: stage.folder, limitMs },
    );
    return { pictures: existsSync(file) ? statSync(file).size / pictureBytes : 0, output };
  }

  describe.each(['uridecodebin', 'uridecodebin3'])('with %s', (element) => {
    const decode = (url: string) => [element, `uri=${url}`, 'name=film'];

    it(`GStreamer's ${element} plays MPEG-TS to the end through three epochs with the token in the key URLs`, async () => {
      const film = await stage.screen('ts');
      const { result, keys } = await stage.watch(film, () => play(decode(film.urlWithToken)));
      expect(result.pictures).toBe(pictures);
      expect(answersOf(keys)).toEqual(['200']);
      expect(new Set(keys.map(tokenPlaceOf))).toEqual(new Set(['query']));
      expect(servedPaths(keys)).toHaveLength(3);
    });

    it(`GStreamer's ${element} plays MPEG-TS to the end with a cookie that came with the playlist`, async () => {
      const film = await stage.screen('ts');
      const { result, keys } = await stage.watch(film, () => play(decode(film.urlWithCookie)));
      expect(result.pictures).toBe(pictures);
      expect(answersOf(keys)).toEqual(['200']);
    });

    it(`GStreamer's ${element} gets the key of fMP4 but cannot decrypt it`, async () => {
      const film = await stage.screen('fmp4');
      const { result, keys } = await stage.watch(film, () => play(decode(film.urlWithToken), giveUpMs));
      expect(result.pictures).toBe(0);
      expect(result.output).toContain('Could not determine type of stream');
      expect(answersOf(keys)).toEqual(['200']);
    });
  });

  it('GStreamer does not send the headers of its source with key requests', async () => {
    const film = await stage.screen('ts');
    const headers = `extra-headers=extra,Authorization=(string)"Bearer\\ ${film.token}"`;
    const source = ['souphttpsrc', `location=${film.url}`, headers, '!', 'decodebin', 'name=film'];
    const { result, keys, files } = await stage.watch(film, () => play(source));
    expect(files[0]?.headers.authorization).toBe(`Bearer ${film.token}`);
    expect(result.pictures).toBe(0);
    expect(answersOf(keys)).toEqual(['401 UNAUTHENTICATED']);
  });
});
