import { createHash } from 'node:crypto';

/** 96 bits: among the playlists of one content, no two get the same name by chance. */
const placeLength = 16;
/** 48 bits: a few playlists have the same URL but for the query. */
const attributesLength = 8;
/** Where the attributes end in a name that has them. */
const attributesEnd = placeLength + 1 + attributesLength;
/** Far above any content. */
const childrenAtMost = 1_000;

/**
 * The playlists that a multivariant playlist lists, and their names for the paths of sessions. A name comes from the URL without its query.
 * So it stays the same where a source signs its URLs anew each time, and every replica gives the same one. Of a URL with a query, the name also
 * has the attributes of its tag and its number among the same URLs: `<URL>-<attributes>-<number>.m3u8`. With them, `findChild` tells apart
 * playlists that differ in their query alone.
 */
export class ChildNames {
  /** By URL, so that a report of another rendition finds its name at once. */
  readonly names = new Map<string, string>();
  readonly children = new Map<string, URL>();
  readonly #sharing = new Map<string, number>();

  /**
   * @param url absolute
   * @param attributes that tell this playlist from others, as the tag has them
   * @returns its name; null if there are 1,000 others already
   */
  add(url: URL, attributes: string): string | null {
    const known = this.names.get(url.href);
    if (known !== undefined) return known;
    if (this.children.size === childrenAtMost) return null;
    const place = `${url.origin}${url.pathname}`;
    const earlier = this.#sharing.get(place) ?? 0;
    this.#sharing.set(place, earlier + 1);
    let stem = hash(place, placeLength);
    if (url.search !== '' || earlier > 0) stem += `-${hash(attributes, attributesLength)}-${earlier}`;
    const name = `${stem}.m3u8`;
    this.names.set(url.href, name);
    this.children.set(name, url);
    return name;
  }
}

function hash(text: string, length: number): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, length);
}

/**
 * The playlist that a client knows by a name of this list, or of an earlier one. Since then variants may have come and gone, so attributes
 * count more than the number. And attributes may have changed, as when an encoder measures its bit rate: then the number decides.
 */
export function findChild(children: ReadonlyMap<string, URL>, name: string): URL | undefined {
  const exact = children.get(name);
  if (exact) return exact;
  const others = [...children];
  const alike = others.filter(([other]) => other.startsWith(name.slice(0, attributesEnd)));
  if (alike.length === 1) return alike[0]?.[1];
  const place = name.slice(0, placeLength);
  const number = name.slice(attributesEnd);
  return others.find(([other]) => other.startsWith(place) && other.slice(attributesEnd) === number)?.[1];
}
