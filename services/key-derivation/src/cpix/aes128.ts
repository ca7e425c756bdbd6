/** AES-128 of HLS with keys in the clear, as the DASH Industry Forum registers it for CPIX. */
export const clearKeyAes128 = '3ea8778f-7742-4bf9-b18b-e834b2acbd47';
/** The same in SPEKE 1.0, which has it of AWS's examples. */
export const clearKeyAes128OfSpeke1 = '81376844-f976-481e-a84e-cc25d39b0b33';
/** AES-CBC of whole samples: the scheme that SPEKE 2.0 has for AES-128. */
export const schemeOfAes128 = 'cbc1';

/** `KEYFORMAT` and `KEYFORMATVERSIONS` of a key that is served as 16 bytes (RFC 8216 section 4.3.2.4). */
export const keyFormat = 'identity';
export const keyFormatVersions = '1';

/** The playlist that a line is for. CPIX 2.4 calls the master playlist `multiVariant`. */
export type PlaylistKind = 'media' | 'master' | 'multiVariant';

/** The line of a playlist that names the key. Its URL has no quotation mark: it is made of `PUBLIC_URL`, an id and a UUID or number. */
export function lineFor(kind: PlaylistKind, url: string): string {
  const tag = kind === 'media' ? '#EXT-X-KEY' : '#EXT-X-SESSION-KEY';
  return `${tag}:METHOD=AES-128,URI="${url}",KEYFORMAT="${keyFormat}",KEYFORMATVERSIONS="${keyFormatVersions}"`;
}
