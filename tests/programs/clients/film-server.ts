import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { listenOnLoopback } from '@latchkey/support/black-box/listen-on-loopback';
import { mediaType } from '@latchkey/support/playback/media-server';

export interface FilmRequest {
  /** Without its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * The server of an application, in addition to the key server: films, pages, and two ways to give a token to a program that only
 * takes a URL.
 *
 * - `…/master.m3u8?access_token=T` writes T into the URL of every key, in this playlist and in the playlists that it names.
 * - `…/master.m3u8?cookie=T` sets T as the cookie `latchkey_token` of its host, which is also the host of the keys here:
 *   a cookie goes to every port of its host (RFC 6265 section 8.5).
 */
export interface FilmServer {
  readonly origin: string;
  /** Every request, in order. */
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
    // In pieces and without Content-Length: VLC 3 treats padding as media if it knows the length (docs/start/players.md).
    response.write(token && file.endsWith('.m3u8') ? writeToken(`${bytes}`, token) : bytes);
    response.end();
  });
  return { requests, ...(await listenOnLoopback(server)) };
}

/** Adds the token to the URLs of keys and playlists, not to the URLs of segments. */
function writeToken(playlist: string, token: string): string {
  return playlist
    .replace(/^(#EXT-X-(?:SESSION-)?KEY:.*URI="[^"]+)"/gm, `$1?access_token=${token}"`)
    .replace(/^([^#\s].*\.m3u8)$/gm, `$1?access_token=${token}`)
    .replace(/^(#EXT-X-(?:MEDIA|I-FRAME-STREAM-INF):.*URI="[^"]+)"/gm, `$1?access_token=${token}"`);
}
