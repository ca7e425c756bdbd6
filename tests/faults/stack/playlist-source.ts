import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The address of the servers, as their playlists name it. */
export const publicUrl = 'http://keys.example';

/** Where the playlists of all contents come from, such as an origin server or a CDN. */
export interface PlaylistSource {
  url: string;
  close(): Promise<void>;
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/live/index.m3u8`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
