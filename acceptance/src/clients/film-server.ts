import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface FilmRequest {
  /** Without its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * What an application has beside the key server: films, pages, and its two ways to give a token to a program that takes
 * nothing but a URL.
 *
 * - `…/master.m3u8?access_token=T` writes T into the URL of every key, in this playlist and in those that it names.
 * - `…/master.m3u8?cookie=T` sets T as the cookie `latchkey_token` of its host, which is also the host of the keys here:
 *   cookies do not tell ports apart (RFC 6265 section 8.5).
 */
export interface FilmServer {
  readonly origin: string;
  /** Everything that was asked for, in its order. */
  readonly requests: FilmRequest[];
  close(): void;
}

/**
 * @param folder its files are at their paths
 * @param pages further files, by path
 */
export async function startFilmServer(
  folder: string,
  pages: Readonly<Record<string, string>>,
): Promise<FilmServer> {
  const requests: FilmRequest[] = [];
  const server = createServer(async ({ url = '/', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://films.example');
    requests.push({ path: pathname, headers });
    const file = pages[pathname] ?? join(folder, pathname);
    const bytes = await readFile(file).catch(() => undefined);
    if (!bytes) return void response.writeHead(404).end();
    const cookie = searchParams.get('cookie');
    const token = searchParams.get('access_token');
    response.writeHead(200, {
      'content-type': mediaType(file),
      ...(cookie && { 'set-cookie': `latchkey_token=${cookie}; Path=/; HttpOnly` }),
    });
    // In pieces and without Content-Length: VLC 3 takes padding for media where it knows the length (docs/clients.md).
    response.write(token && file.endsWith('.m3u8') ? writeToken(`${bytes}`, token) : bytes);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The token goes to keys and to further playlists, and to no segment. */
function writeToken(playlist: string, token: string): string {
  return playlist
    .replace(/^(#EXT-X-(?:SESSION-)?KEY:.*URI="[^"]+)"/gm, `$1?access_token=${token}"`)
    .replace(/^([^#\s].*\.m3u8)$/gm, `$1?access_token=${token}`)
    .replace(/^(#EXT-X-(?:MEDIA|I-FRAME-STREAM-INF):.*URI="[^"]+)"/gm, `$1?access_token=${token}"`);
}

function mediaType(file: string): string {
  if (file.endsWith('.m3u8')) return 'application/vnd.apple.mpegurl';
  if (file.endsWith('.html')) return 'text/html';
  if (/\.m?js$/.test(file)) return 'text/javascript';
  return 'application/octet-stream';
}
