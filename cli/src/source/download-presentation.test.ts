import { readdirSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { expect, it, vi } from 'vitest';
import { refusal } from '../refusal.ts';
import { listen } from '../testing/listen.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { downloadPresentation } from './download-presentation.ts';
import { createSourceRequests } from './request-source.ts';

const playlistOf = (files: number) =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:1\n${Array.from({ length: files }, (_, n) => `#EXTINF:1,\n${n}.ts\n`).join('')}#EXT-X-ENDLIST\n`;

async function download(answer: RequestListener, mostBytes: number) {
  const { signal } = new AbortController();
  const origin = await listen(answer);
  const folder = temporaryFolder();
  const request = createSourceRequests({ address: origin, headers: {}, timeoutMs: 5_000, signal });
  let bytes = 0;
  const count = (more: number) => {
    bytes += more;
    if (bytes > mostBytes) throw refusal(`more than ${mostBytes} bytes`);
  };
  const done = downloadPresentation(`${origin}/i.m3u8`, folder, {
    ...{ request, signal, count, mostBytes: Number.MAX_SAFE_INTEGER },
    wait: async () => {},
    showProgress: (_files, work) => work(() => {}),
  });
  return { folder, done };
}

it('a file without an end is refused once the presentation has too many bytes, and its connection is closed', async () => {
  const isClosed = vi.fn();
  const { done } = await download((request, response) => {
    if (request.url === '/i.m3u8') return void response.end(playlistOf(1));
    const send = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on('drain', send).on('close', isClosed);
    send();
  }, 10_000_000);
  await expect(done).rejects.toThrow('more than 10000000 bytes');
  await vi.waitFor(() => expect(isClosed).toHaveBeenCalledOnce());
});

it('a presentation of more than 200,000 files is refused at the line that names the next one, before its media is requested', async () => {
  const asked: (string | undefined)[] = [];
  const { folder, done } = await download((request, response) => {
    asked.push(request.url);
    response.end(playlistOf(200_001));
  }, Number.MAX_SAFE_INTEGER);
  await expect(done).rejects.toThrow('the presentation has more than 200000 files');
  expect(asked).toEqual(['/i.m3u8']);
  expect(readdirSync(folder)).toEqual([]);
});
