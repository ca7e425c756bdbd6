import { join } from 'node:path';
import { answersOf, servedPaths } from '@latchkey/support/playback/key-requests';
import { describe, expect, it, vi } from 'vitest';
import {
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
const stage = await openClientSetup();

let runs = 0;
/** @returns pictures that ffmpeg decoded and encoded again */
async function play(url: string, options: readonly string[] = []): Promise<number> {
  const file = join(stage.folder, `played-${runs++}.mkv`);
  const args = ['-hide_banner', '-nostdin', '-loglevel', 'error', ...options, '-i', url];
  await runProgram(ffmpeg, [...args, '-map', '0:v:0', '-c:v', 'mpeg4', file], { cwd: stage.folder });
  return countPictures(ffmpeg, file, stage.folder);
}

describe.each<Container>(['ts', 'fmp4'])('ffmpeg of %s', (container) => {
  it(`ffmpeg plays ${container} to the end with -headers, which it sends to the media server as well`, async () => {
    const film = await stage.screen(container);
    const headers = ['-headers', `Authorization: Bearer ${film.token}\r\n`];
    const { result, keys, files } = await stage.watch(film, () => play(film.url, headers));
    expect(result).toBe(pictures);
    expect(answersOf(keys)).toEqual(['200']);
    expect(servedPaths(keys)).toHaveLength(3);
    expect(files.filter(showsToken)).toHaveLength(files.length);
  });

  it(`ffmpeg plays ${container} to the end with -cookies that name no domain, and sends those to the media server as well`, async () => {
    const film = await stage.screen(container);
    const cookies = ['-cookies', `latchkey_token=${film.token}; path=/`];
    const { result, keys, files } = await stage.watch(film, () => play(film.url, cookies));
    expect(result).toBe(pictures);
    expect(answersOf(keys)).toEqual(['200']);
    expect(files.filter(({ headers }) => headers.cookie)).toHaveLength(files.length);
  });

  it(`ffmpeg plays ${container} to the end with the token in the key URLs, and does not send it to the media server`, async () => {
    const film = await stage.screen(container);
    const { result, keys, files } = await stage.watch(film, () => play(film.urlWithToken));
    expect(result).toBe(pictures);
    expect(answersOf(keys)).toEqual(['200']);
    expect(new Set(keys.map(tokenPlaceOf))).toEqual(new Set(['query']));
    expect(files.filter(showsToken)).toEqual([]);
  });

  it(`ffmpeg stops playing ${container} at the first refused key`, async () => {
    const film = await stage.screen(container);
    const { result, keys } = await stage.watch(film, () => play(film.url));
    expect(result).toBe(0);
    expect(answersOf(keys)).toEqual(['401 UNAUTHENTICATED']);
  });
});

it('ffmpeg plays to the end with the command of docs/start/players.md', async () => {
  const film = await stage.screen('ts');
  const file = join(stage.folder, 'documented.mkv');
  const end = `-nostdin -loglevel error -map 0:v:0 -c:v mpeg4 ${file}`;
  const shell = ['-euc', showCommand('ffmpeg', { program: ffmpeg, film, end })];
  const { keys } = await stage.watch(film, () => runProgram('bash', shell, { cwd: stage.folder }));
  expect(await countPictures(ffmpeg, file, stage.folder)).toBe(pictures);
  expect(answersOf(keys)).toEqual(['200']);
});

it('ffmpeg plays fMP4 to the end through a break with a second initialization section', async () => {
  const film = await stage.screen('twoMaps');
  const { result, keys } = await stage.watch(film, () => play(film.urlWithToken));
  expect(result).toBe(pictures);
  expect(servedPaths(keys)).toHaveLength(3);
});

it('ffmpeg does not send a cookie with a domain to a key server on another port', async () => {
  const film = await stage.screen('ts');
  const cookies = ['-cookies', `latchkey_token=${film.token}; path=/; domain=127.0.0.1`];
  const { keys } = await stage.watch(film, () => play(film.url, cookies));
  expect(answersOf(keys)).toEqual(['401 UNAUTHENTICATED']);
});

it('ffmpeg ignores the I-frame playlist in a multivariant playlist, and decodes every picture of it by its own URL', async () => {
  const film = await stage.screen('fmp4');
  const iFrames = film.urlWithToken.replace('master.m3u8', 'i-frames-index/index.m3u8');
  const { result, keys } = await stage.watch(film, () => play(iFrames));
  // One picture for each of the six segments, under the keys of the three epochs.
  expect(result).toBe(6);
  expect(servedPaths(keys)).toHaveLength(3);
});
