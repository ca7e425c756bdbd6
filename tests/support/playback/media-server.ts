import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { listenOnLoopback } from '../black-box/listen-on-loopback.ts';

interface MediaRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** Serves the files of a folder as a CDN does, without keys or credentials. */
export interface MediaServer {
  readonly origin: string;
  /** Every request, in order. */
  readonly requests: MediaRequest[];
  close(): void;
}

/**
 * @param folder its files are at their paths
 * @param extra further files, by path
 */
export async function startMediaServer(
  folder: string,
  extra: Readonly<Record<string, string>> = {},
): Promise<MediaServer> {
  const requests: MediaRequest[] = [];
  const server = createServer(async ({ url: path = '/', headers }, response) => {
    requests.push({ path, headers });
    // A query is a signature, which a CDN has checked before.
    const [name = '/'] = path.split('?');
    const file = extra[name] ?? join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (!found?.isFile()) return void response.writeHead(404).end();
    const range = readRange(headers.range, found.size);
    const { start, end } = range ?? { start: 0, end: found.size - 1 };
    response.writeHead(range ? 206 : 200, {
      'content-type': mediaType(file),
      'content-length': end - start + 1,
      ...(range && { 'content-range': `bytes ${start}-${end}/${found.size}` }),
    });
    await pipeline(createReadStream(file, range), response).catch(() => response.destroy());
  });
  return { requests, ...(await listenOnLoopback(server)) };
}

/** One range, as players ask for parts of a file. Another form gets the whole file, as RFC 9110 section 14.2 allows. */
function readRange(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, from, to = ''] = /^bytes=(\d+)-(\d*)$/.exec(header ?? '') ?? [];
  const start = Number(from);
  return from !== undefined && start < size
    ? { start, end: Math.min(to === '' ? size - 1 : Number(to), size - 1) }
    : undefined;
}

export function mediaType(file: string): string {
  if (file.endsWith('.m3u8')) return 'application/vnd.apple.mpegurl';
  if (file.endsWith('.html')) return 'text/html';
  if (/\.m?js$/.test(file)) return 'text/javascript';
  return 'application/octet-stream';
}
