/** The limit of the server: 2^32 - 1. */
const maxEpoch = 4_294_967_295;

/** @returns null for an empty text; undefined for an invalid epoch */
export function readEpoch(text: string): number | null | undefined {
  const written = text.trim();
  if (written === '') return null;
  if (!/^(0|[1-9][0-9]{0,9})$/.test(written)) return undefined;
  return Number(written) <= maxEpoch ? Number(written) : undefined;
}

/**
 * The URL of a key.
 *
 * @param endpoint from the server: absolute, or a path
 * @param origin of this page, the base of such a path
 * @param epoch null for the key without epochs
 */
export function keyUrlOf(endpoint: string, origin: string, epoch: number | null): string {
  return `${new URL(endpoint, origin).href}${epoch === null ? '' : `/${epoch}`}`;
}

/** A playlist tag (RFC 8216 section 4.3.2.4). Without an IV, the segment number is the IV (section 5.2). */
export function keyTagOf(keyUrl: string): string {
  return `#EXT-X-KEY:METHOD=AES-128,URI="${keyUrl}"`;
}

/** The command that encrypts a clear presentation. It uses `=`, because an ID can start with a dash. */
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
