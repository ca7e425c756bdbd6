/** The most that the server takes: 2^32 - 1. */
const maxEpoch = 4_294_967_295;

/** @returns null for nothing written; undefined for what is no epoch */
export function readEpoch(text: string): number | null | undefined {
  const written = text.trim();
  if (written === '') return null;
  if (!/^(0|[1-9][0-9]{0,9})$/.test(written)) return undefined;
  return Number(written) <= maxEpoch ? Number(written) : undefined;
}

/**
 * Where a player fetches the key.
 *
 * @param endpoint as the server tells it: absolute, or a path
 * @param origin of this page, which such a path is on
 * @param epoch null for the key without epochs
 */
export function keyUrlOf(endpoint: string, origin: string, epoch: number | null): string {
  return `${new URL(endpoint, origin).href}${epoch === null ? '' : `/${epoch}`}`;
}

/** The tag of a playlist (RFC 8216 section 4.3.2.4). Without IV it is the number of the segment (section 5.2). */
export function keyTagOf(keyUrl: string): string {
  return `#EXT-X-KEY:METHOD=AES-128,URI="${keyUrl}"`;
}

/** Encrypts a clear presentation. With `=`, because an id may begin with a dash. */
export function encryptCommandOf(origin: string, contentId: string): string {
  return [
    `export LATCHKEY_API_KEY=lk_…`,
    `npx latchkey encrypt video/master.m3u8 \\`,
    `  --content-id=${contentId} \\`,
    `  --out=encrypted/${contentId} \\`,
    `  --server=${origin} \\`,
    `  --rotate-every=10`,
  ].join('\n');
}
