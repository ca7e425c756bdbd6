import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keyIdOf, writeUuid } from '@latchkey/shared/derivation';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { keyOfUrl, keyUrlBase, masterKeyEnv } from '../testing/encrypt-files.ts';
import { packagerPath } from '../testing/packager-path.ts';
import { runCommand } from '../testing/run-command.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const run = promisify(execFile);
const ffmpeg = process.env.FFMPEG_PATH ?? 'ffmpeg';
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const env = masterKeyEnv;
const keyHex = keyOfUrl(`${keyUrlBase}/keys/film`).toString('hex');

const folder = mkdtempSync(join(tmpdir(), 'latchkey-cenc-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const film = join(folder, 'film.mp4');
beforeAll(async () => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=25:duration=2'];
  const sound = ['-f', 'lavfi', '-i', 'sine=sample_rate=48000:duration=2'];
  await run(ffmpeg, ['-loglevel', 'error', ...picture, ...sound, '-g', '25', '-c:a', 'aac', film]);
  copyFileSync(film, join(folder, 'small.mp4'));
});

async function encrypt(
  more: readonly string[],
  sources = [film],
  packager = packagerPath,
  out = join(temporaryFolder(), 'out'),
) {
  const args = ['encrypt', ...sources, '--scheme', 'cenc', '--content-id', 'film', '--out', out];
  const given = packager === '' ? [] : ['--packager', packager];
  const result = await runCommand([...args, ...given, ...more], { env: { PATH: '/nowhere', ...env } });
  return { ...result, out };
}

/** Hash of every sample of the only track, decrypted with the key. */
async function samplesOf(path: string, kind: 'v' | 'a', key?: string): Promise<string> {
  const decryption = key === undefined ? [] : ['-decryption_key', key];
  const input = ['-loglevel', 'error', ...decryption, '-i', path];
  const { stdout } = await run(ffmpeg, [...input, '-map', `0:${kind}`, '-c', 'copy', '-f', 'md5', '-']);
  return stdout;
}

describe.each(['cenc', 'cbcs'])('--scheme %s', (scheme) => {
  const out = join(folder, scheme);
  let encrypted: Awaited<ReturnType<typeof encrypt>>;
  beforeAll(async () => {
    const more = ['--scheme', scheme, '--key-url', 'https://keys.example/a&b/'];
    encrypted = await encrypt(more, [film], packagerPath, out);
  });

  it(`with --scheme ${scheme}, each track opens with the content key alone, and is then the clear one`, async () => {
    expect([encrypted.exitCode, encrypted.stderr]).toEqual([0, '']);
    const tracks = ['film-audio.m3u8', 'film-audio.mp4', 'film-video.m3u8', 'film-video.mp4'];
    expect(readdirSync(out).sort()).toEqual([...tracks, 'manifest.mpd', 'master.m3u8']);
    for (const [name, kind] of [['film-video.mp4', 'v'] as const, ['film-audio.mp4', 'a'] as const]) {
      const clear = await samplesOf(film, kind);
      expect(await samplesOf(join(out, name), kind, keyHex)).toBe(clear);
      expect(await samplesOf(join(out, name), kind, '0'.repeat(32))).not.toBe(clear);
    }
  });

  it(`with --scheme ${scheme}, the manifest names the licence URL and the key id, and playlists the key URL`, () => {
    const { stdout } = encrypted;
    const manifest = readFileSync(join(out, 'manifest.mpd'), 'utf8');
    const license = 'https://keys.example/a&amp;b/licenses/clearkey/film</dashif:Laurl>';
    expect(manifest.split(license)).toHaveLength(3);
    expect(manifest).toContain('xmlns:dashif="https://dashif.org/CPS"');
    expect(manifest).toContain(`value="${scheme}"`);
    expect(manifest).toContain(`cenc:default_KID="${writeUuid(keyIdOf('film', undefined))}"`);
    const method = scheme === 'cenc' ? 'SAMPLE-AES-CTR' : 'SAMPLE-AES';
    const playlist = readFileSync(join(out, 'film-video.m3u8'), 'utf8');
    expect(playlist).toContain(`#EXT-X-KEY:METHOD=${method},URI="https://keys.example/a&b/keys/film"`);
    expect(stdout).toContain('https://keys.example/a&b/licenses/clearkey/film\n');
    expect(stdout).not.toContain(keyHex);
  });
});

it('several sizes of a film share the sound of the first file', async () => {
  const { out, stderr } = await encrypt([], [film, join(folder, 'small.mp4')]);
  const media = readdirSync(out).filter((name) => name.endsWith('.mp4'));
  expect(media.sort()).toEqual(['film-audio.mp4', 'film-video.mp4', 'small-video.mp4']);
  expect(stderr).toContain(`small.mp4: its sound is left out, because the sound of ${film} is used`);
});

/** A packager that writes down how it was called, and then runs `ending`. */
function spyOnPackager(ending: string): { path: string; seen: () => string } {
  const place = temporaryFolder();
  const [path, notes] = [join(place, 'spy'), join(place, 'notes')];
  const lines = [
    '#!/bin/sh',
    `for arg in "$@"; do echo "$arg" >> ${notes}; case "$arg" in --flagfile=*)`,
    `  ls -ln "\${arg#--flagfile=}" >> ${notes}; key=$(cat "\${arg#--flagfile=}");;`,
    'esac; done',
    ending,
  ];
  writeFileSync(path, lines.join('\n'), { mode: 0o755 });
  return { path, seen: () => readFileSync(notes, 'utf8') };
}
const unlessEncrypting = `case "$*" in *dump_stream*|--version) exec ${packagerPath} "$@";; esac;`;
const keyFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('latchkey-key-'));

it('the key is in no argument of a process, but in a file for this user alone, which is removed', async () => {
  const before = keyFolders();
  const spy = spyOnPackager(`exec ${packagerPath} "$@"`);
  const { exitCode, out } = await encrypt([], [film], spy.path);
  expect(exitCode).toBe(0);
  expect(spy.seen()).not.toContain(keyHex);
  expect(spy.seen()).toMatch(/^-rw------- .*latchkey-key-/m);
  expect(keyFolders()).toEqual(before);
  for (const name of readdirSync(out)) expect(readFileSync(join(out, name), 'latin1')).not.toContain(keyHex);
});

it('if the packager fails, the message has its words without the key, and nothing is left', async () => {
  const before = keyFolders();
  const spy = spyOnPackager(`${unlessEncrypting} echo "bad $key" >&2; exit 3`);
  const { exitCode, stderr, out } = await encrypt([], [film], spy.path);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('failed with 3: bad --keys=label=')]);
  expect(stderr).not.toContain(keyHex);
  expect([existsSync(out), readdirSync(join(out, '..'))]).toEqual([false, []]);
  expect(keyFolders()).toEqual(before);
});

it('a signal ends the packager, and neither files nor the key are left', async () => {
  const before = keyFolders();
  const controller = new AbortController();
  const started = join(temporaryFolder(), 'started');
  const spy = spyOnPackager(`${unlessEncrypting} echo $$ > ${started}; exec sleep 60`);
  const out = join(temporaryFolder(), 'out');
  const args = ['encrypt', film, '--scheme', 'cenc', '--content-id', 'film', '--out', out];
  const { signal } = controller;
  const running = runCommand([...args, '--packager', spy.path], {
    env: { PATH: process.env.PATH, ...env },
    signal,
  });
  await vi.waitFor(() => expect(readFileSync(started, 'utf8')).toMatch(/^\d+\n$/), { timeout: 30_000 });
  controller.abort(new Error('ended by a signal'));
  const { exitCode, stderr } = await running;
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('ended by a signal')]);
  expect([existsSync(out), readdirSync(join(out, '..')), keyFolders()]).toEqual([false, [], before]);
  expect(() => process.kill(Number(readFileSync(started, 'utf8')), 0)).toThrow('ESRCH');
});

it('without Shaka Packager the message explains how to install it', async () => {
  const { exitCode, stderr } = await encrypt([], [film], '');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('npm install shaka-packager')]);
});

it.each([
  [['--rotate-every', '3'], '--rotate-every is for HLS with AES-128'],
  [['--upload'], '--upload is for HLS with AES-128'],
  [['--live'], '--live is for HLS with AES-128'],
  [['--content-id', 'leases'], '--content-id "leases"'],
  [['--key-url', 'ftp://x'], '--key-url "ftp://x"'],
  [['--packager', '/etc'], 'is not a program'],
  [['--packager', '/bin/echo'], '/bin/echo is not Shaka Packager'],
])('--scheme with %j is refused', async (more, message) => {
  const { exitCode, stderr, out } = await encrypt(more);
  expect([exitCode, stderr, existsSync(out)]).toEqual([2, expect.stringContaining(message), false]);
});

it('a file that is no media, is encrypted already, is not there or has a comma in its path is refused', async () => {
  const place = temporaryFolder();
  const noise = join(place, 'noise.mp4');
  writeFileSync(noise, 'x'.repeat(10_000));
  const { out } = await encrypt([]);
  mkdirSync(join(place, 'a,out=..'));
  const comma = join(place, 'a,out=..', 'film.mp4');
  copyFileSync(film, comma);
  const refusals: [string, number, string][] = [
    [noise, 2, 'cannot be read as a media file'],
    [join(out, 'film-video.mp4'), 2, 'is encrypted already'],
    [join(place, 'none.mp4'), 1, 'is not there'],
    [comma, 2, 'has "," or "=" in its path'],
  ];
  for (const [source, code, message] of refusals) {
    const { exitCode, stderr } = await encrypt([], [source]);
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
  }
});

it('--force does not replace a folder that holds a file that is read', async () => {
  const place = temporaryFolder();
  copyFileSync(film, join(place, 'film.mp4'));
  const sources = [film, join(place, 'film.mp4')];
  const { exitCode, stderr } = await encrypt(['--out', place, '--force'], sources);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--force would remove it')]);
  expect(readdirSync(place)).toEqual(['film.mp4']);
});

it('several files without --scheme, and --packager without it, are refused', async () => {
  const plain = ['encrypt', 'a.m3u8', '--content-id', 'film', '--out', join(folder, 'none')];
  for (const [more, message] of [
    [['b.m3u8'], 'only --scheme takes more than one'],
    [['--packager', packagerPath], '--packager is for --scheme'],
  ] as const) {
    const { exitCode, stderr } = await runCommand([...plain, ...more], { env });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
});
