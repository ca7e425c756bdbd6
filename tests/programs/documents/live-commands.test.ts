import { spawn } from 'node:child_process';
import { createDecipheriv } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { makeTestFolder } from '@latchkey/support/black-box/own-process';
import { createApiKey } from '@latchkey/support/black-box/server-actions';
import { startSingleNode } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';
import { makeClone } from '@latchkey/support/documents/run-block';
import { findFreePort } from '@latchkey/support/find-free-port';
import { expect, it, onTestFinished, vi } from 'vitest';

const port = await findFreePort();
const publicUrl = `http://127.0.0.1:${port}`;
const target = await startSingleNode({ PORT: String(port), PUBLIC_URL: publicUrl });
const { client } = target;
const blocks = readBlocks(readDocument('docs/start/live.md'));
// ffmpeg works in real time for some seconds, and starts slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const periodSeconds = 1;
const transportStreamPacket = 188;

interface Channel {
  readonly id: string;
  readonly folder: string;
  /** Runs a block of the document as bash does, until its last command ends; then ends what it left behind. */
  run(block: string): Promise<void>;
}

/** A channel as in the document, except for the address, the id, shorter periods, and an end after some seconds. */
async function openChannel(): Promise<Channel> {
  const folder = makeTestFolder();
  makeClone(folder);
  const id = unique('channel');
  const { raw } = await createApiKey(target, 'playback');
  const ffmpegFolder = dirname(process.env.FFMPEG_PATH ?? '/usr/bin/ffmpeg');
  const env = { PATH: `${process.env.PATH}:${ffmpegFolder}`, HOME: folder, LATCHKEY_API_KEY: raw };
  const adapt = (block: string) =>
    block
      .replaceAll('localhost:4100', `127.0.0.1:${port}`)
      .replaceAll('"id":"channel"', `"id":"${id}"`)
      .replaceAll('--content-id channel', `--content-id ${id}`)
      .replaceAll('/content/channel/', `/content/${id}/`)
      .replace('"periodSeconds":10', `"periodSeconds":${periodSeconds}`)
      .replace('size=640x360', 'size=160x90')
      .replace(' -f hls ', ' -t 5 -f hls ');
  const run = async (block: string) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', adapt(block)], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that what the block leaves behind ends with it, as it does with the terminal of a person.
      detached: true,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const closed = once(child, 'close');
    const [code] = await once(child, 'exit');
    try {
      process.kill(-(child.pid ?? 0), 'SIGTERM');
    } catch {
      // Nothing was left behind.
    }
    await closed;
    if (code !== 0) throw new Error(`${block} ended with ${code}: ${output}`);
  };
  const create = findBlock(blocks, 'sh', '"keyPeriods"').replace('$LATCHKEY_API_KEY', target.adminApiKey);
  await run(create);
  return { id, folder, run };
}

/** Reads the segments of a playlist, decrypts each and checks that it is a transport stream. @returns the epochs */
async function decryptSegments(id: string, playlist: string, read: (name: string) => Buffer) {
  const [epochs, pairs] = [new Set<number>(), new Set<string>()];
  let named: { uri: string; iv: string } | undefined;
  let segments = 0;
  for (const line of playlist.split('\n')) {
    const [, uri = '', iv = ''] =
      /^#EXT-X-KEY:METHOD=AES-128,URI="([^"]+)",IV=0x([0-9a-f]{32})/.exec(line) ?? [];
    if (uri) named = { uri, iv };
    if (line === '' || line.startsWith('#')) continue;
    segments++;
    if (!named) throw new Error(`${line} is not encrypted:\n${playlist}`);
    const epoch = Number(named.uri.replace(`${publicUrl}/keys/${id}/`, ''));
    epochs.add(epoch);
    pairs.add(`${epoch} ${named.iv}`);
    const key = (await client.get(`/keys/${id}/${epoch}`, target.adminApiKey)).bytes;
    const decipher = createDecipheriv('aes-128-cbc', key, Buffer.from(named.iv, 'hex'));
    const clear = Buffer.concat([decipher.update(read(line)), decipher.final()]);
    expect([clear.length % transportStreamPacket, clear[0], clear[transportStreamPacket]]).toEqual([
      0, 0x47, 0x47,
    ]);
  }
  // Each segment has its own EXT-X-KEY: no IV is used twice under one key.
  expect(pairs.size).toBe(segments);
  return { epochs: [...epochs], segments };
}

const ofFolder = (folder: string) => (name: string) => readFileSync(join(folder, 'channel', name));

it.each([
  ['by file', 'npx latchkey key-info'],
  ['by URL', '-headers "Authorization'],
])(
  'the documented commands of ffmpeg %s write segments that decrypt with the keys of their periods',
  async (_, words) => {
    const { id, folder, run } = await openChannel();
    await run(findBlock(blocks, 'sh', words));
    const playlist = readFileSync(join(folder, 'channel/index.m3u8'), 'utf8');
    const { epochs, segments } = await decryptSegments(id, playlist, ofFolder(folder));
    expect(segments).toBeGreaterThanOrEqual(3);
    expect(epochs.length).toBeGreaterThanOrEqual(2);
    for (const name of readdirSync(join(folder, 'channel')))
      if (name.endsWith('.ts'))
        expect(ofFolder(folder)(name)[0] === 0x47 && ofFolder(folder)(name)[188] === 0x47).toBe(false);
  },
);

it('the documented command of ffmpeg with output by HTTP PUT reads key info by PUT, and sends the API key to Latchkey alone', async () => {
  const { id, run } = await openChannel();
  const received = new Map<string, Buffer>();
  const headers: string[] = [];
  const upload = createServer(async (request, response) => {
    received.set(request.url?.split('/').at(-1) ?? '', await buffer(request));
    headers.push(JSON.stringify(request.headers));
    response.end();
  });
  await new Promise<void>((resolve) => upload.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void upload.close());
  const { port: uploadPort } = upload.address() as AddressInfo;
  await run(findBlock(blocks, 'sh', 'http://ffmpeg:').replace('localhost:8080', `127.0.0.1:${uploadPort}`));
  const playlist = received.get('index.m3u8')?.toString() ?? '';
  const { epochs } = await decryptSegments(id, playlist, (name) => received.get(name) ?? Buffer.alloc(0));
  expect(epochs.length).toBeGreaterThanOrEqual(2);
  expect(headers.filter((text) => text.includes('authorization'))).toEqual([]);
});
