import { spawn } from 'node:child_process';
import { createDecipheriv } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeTestFolder } from '@latchkey/support/black-box/own-process';
import { createApiKey } from '@latchkey/support/black-box/server-actions';
import { startSingleNode } from '@latchkey/support/black-box/target';
import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';
import { findFreePort } from '@latchkey/support/find-free-port';
import { repositoryFolder } from '@latchkey/support/repository';
import { runFfmpeg } from '@latchkey/support/video/run-ffmpeg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findProgram } from '../proxies/programs.ts';
import { startNginx } from './own-nginx.ts';

vi.setConfig({ testTimeout: 120_000 });
const { FFMPEG_PATH: ffmpeg = 'ffmpeg', NGINX_RTMP_MODULE } = process.env;
const blocks = readBlocks(readDocument('docs/start/live.md'));

/** Sends a test picture as OBS does, for some seconds. */
const publish = (address: string, seconds: number, source: string) =>
  runFfmpeg(ffmpeg, [
    ...['-re', '-f', 'lavfi', '-i', `${source}=size=160x90:rate=25`, '-t', String(seconds)],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-pix_fmt', 'yuv420p', '-f', 'flv', address],
  ]);

it.skipIf(!NGINX_RTMP_MODULE)(
  'what a publisher sends through nginx-rtmp, twice, decrypts to the bytes of its segments, with one discontinuity between',
  async () => {
    const server = await startSingleNode();
    const { raw: apiKey } = await createApiKey(server, 'packager');
    const folder = makeTestFolder();
    const [clear, out, port] = [join(folder, 'clear'), join(folder, 'out'), await findFreePort()];
    mkdirSync(clear);
    const nginx = await startNginx(findProgram('nginx'), {
      modulePath: NGINX_RTMP_MODULE ?? '',
      folder,
      location: `location / { root ${clear}; }`,
      blocks: findBlock(blocks, 'nginx', 'hls_path')
        .replace('listen 1935', `listen 127.0.0.1:${port}`)
        .replace('/srv/clear', clear)
        .replace('hls_fragment 2s', 'hls_fragment 1s'),
    });
    onTestFinished(nginx.stop);

    const args = ['encrypt', '--live', `${nginx.url}/channel.m3u8`, '--content-id', 'channel', '--out', out];
    const command = spawn(
      process.execPath,
      [
        join(repositoryFolder, 'cli/src/main.ts'),
        ...args,
        '--server',
        server.url,
        '--register',
        '--period',
        '4',
      ],
      { env: { ...process.env, LATCHKEY_API_KEY: apiKey }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    onTestFinished(() => void command.kill('SIGKILL'));
    let said = '';
    command.stderr.on('data', (text) => {
      said += text;
    });

    /** The clear segments that nginx has written, in hex. */
    const written = new Set<string>();
    const played = new Map<string, string>();
    const keys = new Map<string, Buffer>();
    let playlist = '';
    const look = async () => {
      const source = readPlaylist(join(clear, 'channel.m3u8'));
      for (const name of source.split('\n').filter((line) => line.endsWith('.ts')))
        written.add(readFileSync(join(clear, name)).toString('hex'));
      playlist = readPlaylist(join(out, 'channel.m3u8'));
      let key = { url: '', iv: '' };
      for (const line of playlist.split('\n')) {
        const [, url = '', iv = ''] = /URI="([^"]+)",IV=0x([0-9a-f]{32})/.exec(line) ?? [];
        if (url) key = { url, iv };
        if (!line.endsWith('.ts') || played.has(line)) continue;
        const path = new URL(key.url).pathname;
        if (!keys.has(path)) keys.set(path, (await server.client.get(path, apiKey)).bytes);
        const decipher = createDecipheriv('aes-128-cbc', keys.get(path) ?? '', Buffer.from(key.iv, 'hex'));
        const bytes = [decipher.update(readFileSync(join(out, line))), decipher.final()];
        played.set(line, Buffer.concat(bytes).toString('hex'));
      }
    };
    const lookUntil = async (end: Promise<unknown>) => {
      let isOver = false;
      const ended = end.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await look();
        await pause(100);
      }
      await ended;
      await pause(1_000);
      await look();
    };

    const address = `rtmp://127.0.0.1:${port}/live/channel`;
    await lookUntil(publish(address, 8, 'testsrc2'));
    const before = played.size;
    expect([before, said]).toEqual([expect.any(Number), expect.not.stringContaining('discontinuity')]);
    expect(before).toBeGreaterThanOrEqual(4);
    // nginx-rtmp itself begins each stream with one.
    const breaks = () => playlist.match(/#EXT-X-DISCONTINUITY\n/g)?.length ?? 0;
    const breaksBefore = breaks();
    await lookUntil(publish(address, 8, 'smptebars'));
    expect(played.size).toBeGreaterThanOrEqual(before + 4);
    for (const [name, clearText] of played) expect([name, written.has(clearText)]).toEqual([name, true]);
    expect(new Set(played.values()).size).toBe(played.size);
    expect(breaks()).toBe(breaksBefore + 1);
    command.kill('SIGTERM');
    expect(await once(command, 'exit')).toEqual([0, null]);
  },
);

function readPlaylist(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
