import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { EncryptOptions } from './encrypt-options.ts';
import { loadPresentation } from './load-presentation.ts';
import { locateMedia } from './locate-media.ts';
import { locateSource } from './locate-source.ts';

/**
 * What an encryption would be made of, as a hash: two with the same fingerprint give presentations that play the same.
 * Media counts by size and time of last change, playlists by their text.
 *
 * @param keySource says where keys come from
 * @throws AppError `VALIDATION_FAILED` for input that cannot be encrypted
 */
export async function fingerprintWork(
  options: Pick<
    EncryptOptions,
    'playlist' | 'sourceRoot' | 'contentId' | 'keyUrlBase' | 'rotateEverySegments' | 'perRenditionIds'
  >,
  keySource: string,
): Promise<string> {
  const { playlistPath, sourceRoot } = await locateSource(options);
  const { renditions } = await loadPresentation(playlistPath, sourceRoot);
  const media = new Set<string>();
  for (const rendition of renditions) {
    for (const { path } of (await locateMedia(rendition, sourceRoot)).values()) media.add(path);
  }
  const { contentId, keyUrlBase, rotateEverySegments, perRenditionIds } = options;
  const hash = createHash('sha256');
  const add = (...parts: unknown[]) => hash.update(`${JSON.stringify(parts)}\n`);
  add(keySource, contentId, keyUrlBase, rotateEverySegments ?? null, perRenditionIds ?? false);
  for (const path of new Set([playlistPath, ...renditions.map(({ path }) => path)])) {
    add(path, await readFile(path, 'utf8'));
  }
  for (const path of media) {
    const { size, mtimeMs } = await stat(path);
    add(path, size, mtimeMs);
  }
  return hash.digest('hex');
}
