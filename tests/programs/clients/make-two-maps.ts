import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes the pictures of an fMP4 presentation as a stream with a break in its middle: after it, the initialization section
 * has another name, as where a film goes on after an advertisement.
 *
 * @param playlist path of the multivariant playlist
 * @param folder of the new presentation; it is created
 * @returns path of its multivariant playlist
 */
export function makeTwoMaps(playlist: string, folder: string): string {
  const rendition = /^[^#\s].*\.m3u8$/m.exec(readFileSync(playlist, 'utf8'))?.[0] ?? '';
  const source = join(dirname(playlist), rendition);
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(dirname(source)))
    copyFileSync(join(dirname(source), name), join(folder, name));
  const text = readFileSync(source, 'utf8');
  const [, initialization = ''] = /#EXT-X-MAP:URI="([^"]+)"/.exec(text) ?? [];
  copyFileSync(join(folder, initialization), join(folder, 'second-init.mp4'));
  const pieces = text.split(/(?=^#EXTINF)/m);
  const middle = Math.ceil(pieces.length / 2);
  pieces.splice(middle, 0, '#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI="second-init.mp4"\n');
  writeFileSync(join(folder, 'broken.m3u8'), pieces.join(''));
  const path = join(folder, 'master.m3u8');
  const variant = '#EXT-X-STREAM-INF:BANDWIDTH=300000,RESOLUTION=320x180,CODECS="avc1.4d400d"';
  writeFileSync(path, `#EXTM3U\n#EXT-X-VERSION:7\n${variant}\nbroken.m3u8\n`);
  return path;
}
