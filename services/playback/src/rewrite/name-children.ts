import { createHash } from 'node:crypto';

/** 96 bits: among the playlists of one content, no two get the same name by chance. */
const nameLength = 16;

/**
 * Names the playlists that a multivariant playlist lists, for the paths of sessions. The name comes from the URL without its query. So it
 * stays the same where a source signs its URLs anew each time, and every replica gives the same one.
 *
 * @param urls absolute, in the order of the playlist
 * @returns the name of each URL
 */
export function nameChildren(urls: readonly URL[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const sharing = new Map<string, number>();
  for (const url of urls) {
    if (names.has(url.href)) continue;
    const place = `${url.origin}${url.pathname}`;
    const earlier = sharing.get(place) ?? 0;
    sharing.set(place, earlier + 1);
    const hash = createHash('sha256').update(place).digest('base64url').slice(0, nameLength);
    // Playlists that differ in their query alone are told apart by their order.
    names.set(url.href, earlier === 0 ? `${hash}.m3u8` : `${hash}-${earlier}.m3u8`);
  }
  return names;
}
