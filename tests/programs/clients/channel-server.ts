import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { listenOnLoopback } from '@latchkey/support/black-box/listen-on-loopback';
import { mediaType } from '@latchkey/support/playback/media-server';

/** Serves films as they are, and as live channels that show one segment more at each reload. */
export interface ChannelServer {
  readonly origin: string;
  /**
   * A live channel of a film. It begins with three segments.
   *
   * @param ends whether its playlists end after the last segment; otherwise they stay as they are then
   * @returns the path of its folder
   */
  open(channel: string, ends: boolean): string;
  /** Paths of the segments that players have requested, in order. */
  readonly segments: string[];
  /** How many segments a channel has shown, in the playlist that shows most. */
  shownOf(channel: string): number;
  close(): void;
}

/** A player begins at three segments before the end (RFC 8216 section 6.3.3). */
const shownFirst = 3;

/**
 * @param folder of the films
 * @param pages further files, by path
 */
export async function startChannelServer(
  folder: string,
  pages: Readonly<Record<string, string>>,
): Promise<ChannelServer> {
  const channels = new Map<string, { ends: boolean; shown: Map<string, number> }>();
  const segments: string[] = [];
  const server = createServer(async ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://films.example');
    const [, name = '', inside = ''] = /^\/live-([^/]+)(\/.*)$/.exec(pathname) ?? [];
    const channel = channels.get(name);
    const path = channel ? inside : pathname;
    const file = pages[path] ?? join(folder, path);
    const bytes = await readFile(file).catch(() => null);
    if (!bytes) return void response.writeHead(404).end();
    const isPlaylist = file.endsWith('.m3u8');
    if (!isPlaylist && !(path in pages)) segments.push(pathname);
    response.writeHead(200, { 'content-type': mediaType(file), 'cache-control': 'no-cache' });
    // In pieces and without Content-Length: VLC 3 treats padding as media if it knows the length (docs/start/players.md).
    response.write(channel && isPlaylist ? show(`${bytes}`, path, channel) : bytes);
    response.end();
  });
  return {
    segments,
    open(channel, ends) {
      channels.set(channel, { ends, shown: new Map() });
      return `/live-${channel}`;
    },
    shownOf: (channel) => Math.max(0, ...(channels.get(channel)?.shown.values() ?? [])),
    ...(await listenOnLoopback(server)),
  };
}

/** The playlist as far as it is shown now. */
function show(text: string, path: string, { ends, shown }: { ends: boolean; shown: Map<string, number> }) {
  if (!text.includes('#EXTINF')) return text;
  const count = (shown.get(path) ?? shownFirst - 1) + 1;
  const lines = text.split('\n').filter((line) => !line.startsWith('#EXT-X-PLAYLIST-TYPE'));
  const all = lines.filter((line) => line !== '' && !line.startsWith('#')).length;
  shown.set(path, Math.min(count, all));
  if (count > all && ends) return lines.join('\n');
  let left = count;
  const end = lines.findIndex((line) => line !== '' && !line.startsWith('#') && --left === 0);
  const visible = lines.slice(0, end === -1 ? undefined : end + 1);
  return `${visible.filter((line) => !line.startsWith('#EXT-X-ENDLIST')).join('\n')}\n`;
}
