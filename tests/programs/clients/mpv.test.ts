import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answersOf, servedPaths } from '@latchkey/support/playback/key-requests';
import { describe, expect, it, vi } from 'vitest';
import {
  type ClientSetup,
  type Container,
  ffmpeg,
  openClientSetup,
  pictures,
  showsToken,
  tokenPlaceOf,
} from './client-setup.ts';
import { countPictures } from './count-pictures.ts';
import { showCommand } from './documented-code.ts';
import { runProgram } from './run-program.ts';

vi.setConfig({ testTimeout: 120_000 });
const mpv = process.env.MPV_PATH;

// Vitest also runs the body of a suite that it skips, so nothing may be started there.
const stage = (mpv ? await openClientSetup() : undefined) as ClientSetup;

describe.skipIf(!mpv)('mpv', () => {
  let runs = 0;
  /** @returns pictures that mpv decoded and encoded again */
  async function play(url: string, options: readonly string[] = []): Promise<number> {
    const file = join(stage.folder, `played-${runs++}.mkv`);
    const output = ['--no-audio', '--of=matroska', '--ovc=mpeg4', `--o=${file}`];
    await runProgram(mpv ?? '', ['--no-config', '--really-quiet', ...options, ...output, url], {
      cwd: stage.folder,
    });
    return countPictures(ffmpeg, file, stage.folder);
  }

  describe.each<Container>(['ts', 'fmp4'])('of %s', (container) => {
    it(`mpv plays ${container} to the end with --http-header-fields, which it sends to the media server as well`, async () => {
      const film = await stage.screen(container);
      const headers = [`--http-header-fields=Authorization: Bearer ${film.token}`];
      const { result, keys, files } = await stage.watch(film, () => play(film.url, headers));
      expect(result).toBe(pictures);
      expect(answersOf(keys)).toEqual(['200']);
      expect(servedPaths(keys)).toHaveLength(3);
      expect(files.filter(showsToken)).toHaveLength(files.length);
    });

    it(`mpv plays ${container} to the end with the cookie as a header`, async () => {
      const film = await stage.screen(container);
      const headers = [`--http-header-fields=Cookie: latchkey_token=${film.token}`];
      const { result, keys } = await stage.watch(film, () => play(film.url, headers));
      expect(result).toBe(pictures);
      expect(answersOf(keys)).toEqual(['200']);
    });

    it(`mpv plays ${container} to the end with the token in the key URLs`, async () => {
      const film = await stage.screen(container);
      const { result, keys } = await stage.watch(film, () => play(film.urlWithToken));
      expect(result).toBe(pictures);
      expect(answersOf(keys)).toEqual(['200']);
      expect(new Set(keys.map(tokenPlaceOf))).toEqual(new Set(['query']));
    });

    it(`mpv shows nothing of ${container} without a token`, async () => {
      const film = await stage.screen(container);
      const { result, keys } = await stage.watch(film, () => play(film.url));
      expect(result).toBe(0);
      expect(answersOf(keys)).toEqual(['401 UNAUTHENTICATED']);
    });
  });

  it('mpv plays to the end with the command of docs/start/players.md', async () => {
    const film = await stage.screen('ts');
    const file = join(stage.folder, 'documented.mkv');
    const end = `--no-config --really-quiet --no-audio --of=matroska --ovc=mpeg4 --o=${file}`;
    const shell = ['-euc', showCommand('mpv', { program: mpv ?? '', film, end })];
    const { keys } = await stage.watch(film, () => runProgram('bash', shell, { cwd: stage.folder }));
    expect(await countPictures(ffmpeg, file, stage.folder)).toBe(pictures);
    expect(answersOf(keys)).toEqual(['200']);
  });

  it('mpv does not send a cookie of --cookies-file to a key server on another port', async () => {
    const film = await stage.screen('ts');
    const file = join(stage.folder, 'cookies.txt');
    // Netscape's format: domain, whether subdomains too, path, whether secure, end, name, value.
    const line = ['127.0.0.1', 'FALSE', '/', 'FALSE', '0', 'latchkey_token', film.token].join('\t');
    writeFileSync(file, `# Netscape HTTP Cookie File\n${line}\n`);
    const cookies = ['--cookies', `--cookies-file=${file}`];
    const { keys } = await stage.watch(film, () => play(film.url, cookies));
    expect(answersOf(keys)).toEqual(['401 UNAUTHENTICATED']);
  });
});
