import { basename } from 'node:path';
import { withoutQuery } from '../hls/resolve-reference.ts';

/** Long enough to distinguish renditions, short enough for any file system's 255 bytes. */
const longestName = 100;

/**
 * Every written file gets a new name of `A-Z a-z 0-9 _ -`. So a playlist cannot make the command write outside the output
 * folder, and no two files collide.
 *
 * @returns from the path of a media playlist, relative to the folder of the presentation, a name not given before
 */
export function createRenditionNamer(): (path: string) => string {
  const unique = createUnique();
  return (path) => unique(slug(path.replace(/\.[^./\\]*$/, '')));
}

/** @returns a function that adds a number to a name that it has given before */
function createUnique(): (plain: string) => string {
  // In lower case, since some file systems do not distinguish `A` from `a`.
  const taken = new Set<string>();
  return (plain) => {
    let name = plain;
    for (let count = 2; taken.has(name.toLowerCase()); count++) name = `${plain}-${count}`;
    taken.add(name.toLowerCase());
    return name;
  };
}

/** The playlist of each rendition, in the folder of its own that it has below a multivariant playlist. */
export const mediaPlaylistName = 'index.m3u8';

/** The name of the playlist that players are given. It always ends in `.m3u8`. */
export function rootPlaylistName(path: string): string {
  return `${slug(basename(path).replace(/\.m3u8?$/i, ''))}.m3u8`;
}

/** @param number of the segment in its stream, so that it keeps its name while the window of a live playlist slides */
export function segmentName(number: bigint, uri: string, fragmented: boolean): string {
  return `${String(number).padStart(5, '0')}.${extension(uri) ?? (fragmented ? 'm4s' : 'ts')}`;
}

/**
 * Names of initialization sections: each has the number of the first segment after it. So a name keeps its meaning while the
 * window of a live playlist slides.
 */
export function createMapNamer(): (segmentNumber: bigint, uri: string) => string {
  const unique = createUnique();
  return (segmentNumber, uri) => `${unique(`init-${segmentNumber}`)}.${extension(uri) ?? 'mp4'}`;
}

function slug(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9_]+/g, '-').replace(/^-|-$/g, '');
  return plain.slice(0, longestName) || 'rendition';
}

/** Names keep the extension, because players and servers use it. Undefined for a playlist. */
function extension(uri: string): string | undefined {
  const [, found] = /\.([A-Za-z0-9]{1,8})$/.exec(withoutQuery(uri)) ?? [];
  const lower = found?.toLowerCase();
  return lower === 'm3u8' || lower === 'm3u' ? undefined : lower;
}
