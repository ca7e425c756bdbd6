import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

/** What viewers reach beside the key server: encrypted channels, and a page with players. */
export interface MediaServer {
  readonly origin: string;
  close(): void;
}

const types: Readonly<Record<string, string>> = {
  '.m3u8': 'application/vnd.apple.mpegurl',
  '.ts': 'video/mp2t',
  '.m4s': 'video/iso.segment',
  '.mp4': 'video/mp4',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
};

/**
 * @param folders by the first part of the path
 * @param pages files by their whole path
 */
export async function startMediaServer(
  folders: ReadonlyMap<string, string>,
  pages: Readonly<Record<string, string>>,
): Promise<MediaServer> {
  const server = createServer(async ({ url = '/' }, response) => {
    // `normalize` keeps the path below its folder.
    const path = normalize(new URL(url, 'http://media.example').pathname);
    const [, first = '', ...rest] = path.split('/');
    const folder = folders.get(first);
    const file = pages[path] ?? (folder && join(folder, ...rest));
    const bytes = file ? await readFile(file).catch(() => undefined) : undefined;
    if (!file || !bytes) return void response.writeHead(404).end();
    const type = types[extname(file)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
