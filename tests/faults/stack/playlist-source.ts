import { createServer } from 'node:http';
import { listenOnLoopback } from '@latchkey/support/black-box/listen-on-loopback';

/** The address of the servers, as their playlists name it. */
export const publicUrl = 'http://keys.example';

/** Where the playlists of all contents come from, such as an origin server or a CDN. */
export interface PlaylistSource {
  url: string;
  close(): void;
}

/** A live playlist is fetched again and again, so its fetches are under the faults as well. */
const playlist = [
  '#EXTM3U',
  '#EXT-X-TARGETDURATION:2',
  `#EXT-X-KEY:METHOD=AES-128,URI="${publicUrl}/keys/any"`,
  '#EXTINF:2,',
  'segment.ts',
  '',
].join('\n');

export async function startPlaylistSource(): Promise<PlaylistSource> {
  const server = createServer((_, answer) => {
    answer.setHeader('content-type', 'application/vnd.apple.mpegurl').end(playlist);
  });
  const { origin, close } = await listenOnLoopback(server);
  return { url: `${origin}/live/index.m3u8`, close };
}
