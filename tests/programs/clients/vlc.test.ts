import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { answersOf, servedPaths } from '@latchkey/support/playback/key-requests';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type ClientSetup,
  type Container,
  ffmpeg,
  openClientSetup,
  pictures,
  tokenPlaceOf,
} from './client-setup.ts';
import { countPictures } from './count-pictures.ts';
import { runProgram } from './run-program.ts';

vi.setConfig({ testTimeout: 120_000 });
const vlc = process.env.VLC_PATH;
/** VLC refuses to run as root. On Debian this is the number of `nobody`. */
const user = process.getuid?.() === 0 ? 65534 : undefined;
/**
 * VLC skips pictures until the sound begins, even if the film is not encrypted: up to half a second of them here, and 15 were seen on
 * a busy machine. A whole second, of 25 pictures, is left to it.
 */
const skippedAtMost = 25;
const leastPictures = pictures - skippedAtMost;

/** Without a key, VLC sometimes ends and sometimes waits for something. */
const patienceMs = 8_000;

/** A folder that VLC's user may write to. It cannot be below another folder of the tests, which that user may not enter. */
function makeOwnFolder(): string {
  const folder = makeFolder();
  if (user !== undefined) chownSync(folder.path, user, user);
  onTestFinished(folder.remove);
  return folder.path;
}

// Vitest also runs the body of a suite that it skips, so nothing may be started there.
const stage = (vlc ? await openClientSetup() : undefined) as ClientSetup;

describe.skipIf(!vlc)('VLC', () => {
  /** VLC writes what it demuxes to a file. @returns pictures in it */
  async function play(url: string, limitMs?: number): Promise<number> {
    const folder = makeOwnFolder();
    const file = join(folder, 'played.ts');
    const output = `#std{access=file,mux=ts,dst=${file}}`;
    const args = ['-I', 'dummy', '--quiet', '--sout', output, url, 'vlc://quit'];
    await runProgram(vlc ?? '', args, { cwd: folder, as: user, limitMs });
    return countPictures(ffmpeg, file, folder);
  }
  describe.each<Container>(['ts', 'fmp4'])('of %s', (container) => {
    it(`VLC plays ${container} to the end through three epochs with the token in the key URLs`, async () => {
      const film = await stage.screen(container);
      const { result, keys } = await stage.watch(film, () => play(film.urlWithToken));
      expect(result).toBeGreaterThanOrEqual(leastPictures);
      expect(answersOf(keys)).toEqual(['200']);
      expect(new Set(keys.map(tokenPlaceOf))).toEqual(new Set(['query']));
      // Three epochs, and for fMP4 a fourth, of which the sound has a fraction of a second.
      expect(servedPaths(keys).length).toBeGreaterThanOrEqual(3);
    });

    it(`VLC plays ${container} to the end with a cookie that came with the playlist from the host of the key server`, async () => {
      const film = await stage.screen(container);
      const { result, keys } = await stage.watch(film, () => play(film.urlWithCookie));
      expect(result).toBeGreaterThanOrEqual(leastPictures);
      expect(answersOf(keys)).toEqual(['200']);
      // Three epochs, and for fMP4 a fourth, of which the sound has a fraction of a second.
      expect(servedPaths(keys).length).toBeGreaterThanOrEqual(3);
    });

    it(`VLC shows nothing of ${container} without a token, and requests the key fewer than 20 times`, async () => {
      const film = await stage.screen(container);
      const { result, keys } = await stage.watch(film, () => play(film.url, patienceMs));
      expect(result).toBe(0);
      expect(answersOf(keys)).toEqual(['401 UNAUTHENTICATED']);
      expect(keys.length).toBeLessThan(20);
    });
  });

  it('VLC stops at a break with a second initialization section, and does so in the clear film as well', async () => {
    const film = await stage.screen('twoMaps');
    expect(await play(film.clearUrl)).toBeLessThan(pictures - 100);
    expect(await play(film.urlWithToken)).toBeGreaterThanOrEqual(pictures / 2 - skippedAtMost);
  });

  it('VLC has no option for a request header', async () => {
    const { output } = await runProgram(
      vlc ?? '',
      ['-I', 'dummy', '--longhelp', '--advanced', '--no-color'],
      {
        cwd: makeOwnFolder(),
        as: user,
      },
    );
    expect(output).toContain('--http-user-agent');
    expect(output).not.toMatch(/--http-header|--http-extra/);
  });
});
