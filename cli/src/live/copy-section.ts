import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatAttributeList } from '@latchkey/shared/hls';
import { isInitializationSection } from '../encrypt/initialization-section.ts';
import type { MapTag } from '../hls/media-playlist.ts';
import { playlistError } from '../hls/playlist-lines.ts';
import { showUrl } from '../show-url.ts';
import { writeAtomically } from '../write-file.ts';
import { identityOf, type LiveTools } from './encrypt-segment.ts';
import type { MapFile } from './rendition-state.ts';

/**
 * The name of a copy has a hash of its bytes: a packager that starts again may write another section under the same name.
 *
 * @param folder of the rendition
 */
export function createSectionCopier(folder: string, { source, clock }: Pick<LiveTools, 'source' | 'clock'>) {
  let last: { readonly key: string; readonly askedAt: number; readonly name: string } | undefined;

  async function copy(map: MapTag, location: string): Promise<string> {
    const bytes = await source.read(location, map.byteRange);
    const readPiece = async (from: number, count: number) => bytes.subarray(from, from + count);
    if (!(await isInitializationSection(bytes.length, readPiece))) {
      const detail = `"${showUrl(map.uri)}" of #EXT-X-MAP is more than an initialization section, so it cannot stay in the clear`;
      throw playlistError(map.place, detail);
    }
    const name = `init-${identityOf(bytes)}.mp4`;
    const target = join(folder, name);
    const written = await stat(target).catch(() => undefined);
    if (written?.size !== bytes.length) await writeAtomically(target, bytes);
    return name;
  }

  /**
   * Copies the initialization section of a segment, which describes media and contains none, unless it was copied within the target duration.
   *
   * @param targetSeconds of the source
   * @param isNew a discontinuity stands before the segment, so the section may have other bytes under the same name
   * @throws SourceUnavailable, AppError `VALIDATION_FAILED` for a file that is more, or an error of the file system as Node gives it
   */
  return async (map: MapTag, targetSeconds: number, isNew: boolean): Promise<MapFile> => {
    const location = await source.resolve(map);
    const key = JSON.stringify([location, map.byteRange]);
    const askedAt = clock.monotonic();
    if (isNew || last?.key !== key || askedAt - last.askedAt >= targetSeconds * 1_000)
      last = { key, askedAt, name: await copy(map, location) };
    const others = map.attributes.filter(({ name }) => name !== 'URI' && name !== 'BYTERANGE');
    return { name: last.name, attributes: formatAttributeList(others) };
  };
}
