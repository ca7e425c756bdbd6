/** As much of hls.js's fragment as is looked at. */
export interface KeyedFragment {
  readonly sn: number | 'initSegment';
  readonly decryptdata: { readonly uri: string } | null;
}

/**
 * How many segments before its first a key is fetched: two, so that it is there when hls.js comes to it, and no sooner. A
 * viewer whose lease is revoked plays on as far as the keys reach that the player holds.
 */
const segmentsAhead = 2;

/**
 * The key of a later period that is needed soon.
 *
 * @param fragments of a playlist, in their order, as hls.js has parsed it
 * @param sn media sequence number of the segment that has been loaded
 * @returns its URL; undefined while the same key lasts
 */
export function findNextKey(
  fragments: readonly KeyedFragment[],
  sn: number | 'initSegment',
): string | undefined {
  const index = fragments.findIndex((fragment) => fragment.sn === sn);
  if (index < 0) return undefined;
  const held = fragments[index]?.decryptdata?.uri;
  const soon = fragments.slice(index + 1, index + 1 + segmentsAhead);
  return soon.map(({ decryptdata }) => decryptdata?.uri).find((uri) => uri !== undefined && uri !== held);
}
