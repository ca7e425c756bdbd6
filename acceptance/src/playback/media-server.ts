import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { listenOnLoopback } from '../listen-on-loopback.ts';

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
    const file = extra[path] ?? join(folder, path);
    const found = await stat(file).catch(() => undefined);
    if (!found?.isFile()) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': mediaType(file), 'content-length': found.size });
    await pipeline(createReadStream(file), response).catch(() => response.destroy());
  });
  return { requests, ...(await listenOnLoopback(server)) };
}

export function mediaType(file: string): string {
  if (file.endsWith('.m3u8')) return 'application/vnd.apple.mpegurl';
  if (file.endsWith('.html')) return 'text/html';
  if (/\.m?js$/.test(file)) return 'text/javascript';
  return 'application/octet-stream';
}
