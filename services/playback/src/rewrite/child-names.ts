import { createHash } from 'node:crypto';

/** 96 bits: among the playlists of one content, no two get the same name by chance. */
const nameLength = 16;
/** Far above any content. */
const childrenAtMost = 1_000;

/**
 * The playlists that a multivariant playlist lists, and their names for the paths of sessions. A name comes from the URL without its query.
 * So it stays the same where a source signs its URLs anew each time, and every replica gives the same one.
 */
export class ChildNames {
  /** By URL, so that a report of another rendition finds its name at once. */
  readonly names = new Map<string, string>();
  readonly children = new Map<string, URL>();
  readonly #sharing = new Map<string, number>();

  /** @param url absolute. @returns its name; null if there are 1,000 others already */
  add(url: URL): string | null {
    const known = this.names.get(url.href);
    if (known !== undefined) return known;
    if (this.children.size === childrenAtMost) return null;
    const place = `${url.origin}${url.pathname}`;
    const earlier = this.#sharing.get(place) ?? 0;
    this.#sharing.set(place, earlier + 1);
    const hash = createHash('sha256').update(place).digest('base64url').slice(0, nameLength);
    // Playlists that differ in their query alone are told apart by their order.
    const name = earlier === 0 ? `${hash}.m3u8` : `${hash}-${earlier}.m3u8`;
    this.names.set(url.href, name);
    this.children.set(name, url);
    return name;
  }
}
