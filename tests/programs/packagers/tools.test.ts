import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApiKey, createLease, registerContent } from '@latchkey/support/black-box/server-actions';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { startSingleNode } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';
import { makeClone, runBlock } from '@latchkey/support/documents/run-block';
import { openBrowser } from '@latchkey/support/open-browser';
import { decodeVideo } from '@latchkey/support/playback/decode-video';
import { startMediaServer } from '@latchkey/support/playback/media-server';
import { viewerToken } from '@latchkey/support/tokens';
import { runFfmpeg } from '@latchkey/support/video/run-ffmpeg';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { findProgram } from '../proxies/programs.ts';
import { startNginx } from './own-nginx.ts';

vi.setConfig({ testTimeout: 120_000 });
const { FFMPEG_PATH: ffmpeg = 'ffmpeg', MP42HLS_PATH, NGINX_VOD_MODULE } = process.env;
const blocks = readBlocks(readDocument('docs/start/packagers.md'));

const folder = makeFolder();
const media = await startMediaServer(folder.path, {
  '/player.html': fileURLToPath(new URL('../../support/playback/player.html', import.meta.url)),
  '/player.js': fileURLToPath(new URL('../../support/playback/player.js', import.meta.url)),
  '/hls.mjs': join(dirname(fileURLToPath(import.meta.resolve('hls.js'))), 'hls.min.mjs'),
});
const browser = await openBrowser(process.env.CHROMIUM_PATH ?? '/usr/bin/chromium');
afterAll(async () => {
  await browser.close();
  media.close();
  folder.remove();
});
// Tools are tested here. The routes that they call are tested on every profile.
const server = await startSingleNode({ CORS_ORIGINS: media.origin });
const { raw: apiKey } = await createApiKey(server, 'packager');
const clear = join(folder.path, 'film.mp4');
await runFfmpeg(ffmpeg, [
  ...['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=25:duration=6', '-f', 'lavfi', '-i', 'sine=duration=6'],
  ...['-c:v', 'libx264', '-g', '50', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-shortest', clear],
]);
const original = await decodeVideo(ffmpeg, clear);

/** The pictures, without their times, which a packager may move. */
const pictures = ({ frames }: Awaited<ReturnType<typeof decodeVideo>>) =>
  frames.filter((frame) => /^0,/.test(frame)).map((frame) => frame.split(',').at(-1));

interface Packaged {
  contentId: string;
  /** Its folder, below the media server. */
  path: string;
}

/** Runs a block of the document as an operator does, in a folder with `film.mp4`. */
async function runDocumented(words: string, programs: Readonly<Record<string, string>>): Promise<Packaged> {
  const contentId = await registerContent(server);
  const name = unique('packaged');
  const cwd = join(folder.path, name);
  mkdirSync(cwd, { recursive: true });
  makeClone(cwd);
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  for (const [program, path] of Object.entries(programs)) {
    writeFileSync(join(bin, program), `#!/bin/sh\nexec '${path}' "$@"\n`);
    chmodSync(join(bin, program), 0o755);
  }
  writeFileSync(join(cwd, 'film.mp4'), readFileSync(clear));
  const text = findBlock(blocks, 'sh', words)
    .replaceAll('http://localhost:4100', server.url)
    .replaceAll('--content-id film ', `--content-id ${contentId} `);
  const { PATH, HOME } = process.env;
  await runBlock(text, { cwd, env: { HOME, PATH: `${bin}:${PATH}`, LATCHKEY_API_KEY: apiKey } });
  // The key is in no file any more, and in none that a web server could give away.
  const left = readdirSync(cwd).filter((file) => /\.(keyinfo|key|args|flags)$/.test(file));
  expect(left).toEqual([]);
  return { contentId, path: `${name}/film` };
}

/** hls.js in Chromium plays every picture to the end. */
async function expectPlaysInBrowser({ contentId, path }: Packaged): Promise<void> {
  const token = viewerToken(server.jwtSecret, unique('viewer'), { content_ids: [contentId] });
  const leaseId = await createLease(server, { token, contentId });
  const page = await browser.newPage();
  await page.goto(`${media.origin}/player.html`);
  await page.waitForFunction('window.play');
  const playlist = `${media.origin}/${path}/index.m3u8`;
  const options = { playlist, keyServer: server.url, token, leaseId, stopsOnRefusal: true, rate: 4 };
  await page.evaluate(`window.play(${JSON.stringify(options)})`);
  await page.waitForFunction('window.seen().ended || window.seen().errors.some(({ fatal }) => fatal)');
  // ffmpeg leaves a hole of some milliseconds at the end, over which the player skips.
  const seen = (await page.evaluate('window.seen()')) as { ended: boolean; errors: { fatal: boolean }[] };
  expect([seen.ended, seen.errors.filter(({ fatal }) => fatal)]).toEqual([true, []]);
  await page.close();
}

async function expectPlays({ contentId, path }: Packaged): Promise<void> {
  const playlist = readFileSync(join(folder.path, path, 'index.m3u8'), 'utf8');
  expect(playlist).toContain(`#EXT-X-KEY:METHOD=AES-128,URI="${server.url}/keys/${contentId}"`);
  const token = viewerToken(server.jwtSecret, unique('viewer'), { content_ids: [contentId] });
  const url = `${media.origin}/${path}/index.m3u8`;
  const played = await decodeVideo(ffmpeg, url, { authorization: `Bearer ${token}` });
  expect(pictures(played)).toEqual(pictures(original));
  await expect(decodeVideo(ffmpeg, url)).rejects.toThrow();
  await expectPlaysInBrowser({ contentId, path });
}

describe('the commands of docs/start/packagers.md', () => {
  it('ffmpeg encrypts with a key of the server, and hls.js and ffmpeg play it with a token alone', async () => {
    await expectPlays(await runDocumented('--format ffmpeg', { ffmpeg }));
  });

  it.skipIf(!MP42HLS_PATH)(
    'Bento4 encrypts with a key of the server, and hls.js and ffmpeg play it with a token alone',
    async () => {
      await expectPlays(await runDocumented('--format bento4', { mp42hls: MP42HLS_PATH ?? '' }));
    },
  );

  it('Shaka Packager encrypts with a key of the server, which decrypts what came out', async () => {
    const { packagerPath } = await import('./packager-path.ts');
    const { contentId, path } = await runDocumented('--format shaka', { packager: packagerPath });
    const manifest = readFileSync(join(folder.path, path, 'manifest.mpd'), 'utf8');
    expect(manifest).toContain('urn:mpeg:dash:mp4protection:2011');
    const key = (await server.client.get(`/keys/${contentId}`, apiKey)).bytes.toString('hex');
    const decrypted = join(folder.path, path, 'decrypted.mp4');
    const video = join(folder.path, path, 'video.mp4');
    await expect(decodeWithKey(video, '00'.repeat(16), decrypted)).rejects.toThrow();
    await decodeWithKey(video, key, decrypted);
    expect(existsSync(decrypted)).toBe(true);
  });

  it.skipIf(!NGINX_VOD_MODULE)(
    'nginx-vod-module encrypts on the fly with a key of the server, and ffmpeg plays it with a token alone',
    async () => {
      const contentId = await registerContent(server);
      const location = findBlock(blocks, 'nginx', 'vod_drm_enabled')
        .replaceAll('http://localhost:4100', server.url)
        .replaceAll('/content/film/', `/content/${contentId}/`)
        .replaceAll('/keys/film', `/keys/${contentId}`)
        .replace('/var/www/films/', `${folder.path}/`)
        .replace('lk_…', apiKey);
      const nginx = await startNginx(findProgram('nginx'), {
        modulePath: NGINX_VOD_MODULE ?? '',
        folder: join(folder.path, unique('nginx')),
        location,
      });
      onTestFinished(nginx.stop);
      const url = `${nginx.url}/film/film.mp4/index.m3u8`;
      const playlist = await (await fetch(url)).text();
      expect(playlist).toContain(`URI="${server.url}/keys/${contentId}",IV=0x`);
      const token = viewerToken(server.jwtSecret, unique('viewer'));
      const played = await decodeVideo(ffmpeg, url, { authorization: `Bearer ${token}` });
      expect(pictures(played)).toEqual(pictures(original));
      await expect(decodeVideo(ffmpeg, url)).rejects.toThrow();
    },
  );
});

/** Decodes every picture of an encrypted MP4 file. @throws Error if a picture cannot be decoded */
async function decodeWithKey(file: string, key: string, out: string): Promise<void> {
  await runFfmpeg(ffmpeg, ['-xerror', '-decryption_key', key, '-i', file, '-c:v', 'libx264', '-y', out]);
}
