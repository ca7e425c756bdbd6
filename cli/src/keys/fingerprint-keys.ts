import { createHash } from 'node:crypto';
import { type ContentKeySource, type KeyName, keyPath } from '../encrypt/content-key-source.ts';

/** Makes the hash one of its own: no other use of SHA-256 over a key gives the same bytes. */
const label = 'latchkey content key fingerprint';

/**
 * What tells the keys of one master key from those of another, one way only. It may lie on a disk: a content key is 128
 * bits that nobody can foresee, so there is nothing that could be tried until its hash fits.
 *
 * One key of each content id is enough: all epochs of a content id come from one version of one master key.
 *
 * @returns 64 hex digits
 * @throws AppError where a key cannot be had
 */
export async function fingerprintKeys(
  names: readonly KeyName[],
  source: ContentKeySource,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  for (const name of names) {
    await source.prepare(name.contentId, signal);
    hash.update(`${JSON.stringify([label, keyPath(name)])}\n`).update(await source.get(name, signal));
  }
  return hash.digest('hex');
}
