/**
 * The name of a file with the beginning of the SHA-256 of its bytes: `00007.ts` becomes `00007.3fa91c02.ts`. A CDN may keep a
 * segment for a year. Other bytes get another name, so a new playlist never gets the old ones.
 *
 * @param name with an extension; a path is fine
 * @param sha256 in hex digits
 */
export function addHash(name: string, sha256: string): string {
  const dot = name.lastIndexOf('.');
  return `${name.slice(0, dot)}.${sha256.slice(0, 8)}${name.slice(dot)}`;
}
