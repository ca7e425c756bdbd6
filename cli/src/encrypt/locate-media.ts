import { stat } from 'node:fs/promises';
import type { MediaReference } from '../hls/media-playlist.ts';
import { playlistError } from '../hls/playlist-lines.ts';
import { resolveReference } from '../hls/resolve-reference.ts';
import type { ByteRange } from '../read-range.ts';
import { showUrl } from '../show-url.ts';
import type { Rendition } from './load-presentation.ts';

/** Bytes of a file on disk; none of an empty file. */
export interface SourceSlice extends ByteRange {
  readonly path: string;
}

/** The bytes of each segment and initialization section. Segments marked EXT-X-GAP are left out. */
export type MediaLocations = ReadonlyMap<MediaReference, SourceSlice>;

/** @throws AppError `VALIDATION_FAILED` for a file that is missing, too short, or outside `sourceRoot` */
export async function locateMedia(rendition: Rendition, sourceRoot: string): Promise<MediaLocations> {
  const locations = new Map<MediaReference, SourceSlice>();
  const files = new Map<string, { path: string; size: number }>();
  for (const reference of mediaReferences(rendition)) {
    const place = { playlist: rendition.playlist.playlist, line: reference.line };
    const { uri, byteRange } = reference;
    let file = files.get(uri);
    if (!file) {
      const path = await resolveReference(uri, rendition.path, sourceRoot, place);
      const found = await stat(path);
      if (!found.isFile()) throw playlistError(place, `"${showUrl(uri)}" is not a file`);
      file = { path, size: found.size };
      files.set(uri, file);
    }
    const { offset, length } = byteRange ?? { offset: 0, length: file.size };
    if (offset + length > file.size) {
      const detail = `bytes ${offset} to ${offset + length} of "${showUrl(uri)}", which has ${file.size} only`;
      throw playlistError(place, detail);
    }
    locations.set(reference, { path: file.path, offset, length });
  }
  return locations;
}

function* mediaReferences({ playlist }: Rendition): Iterable<MediaReference> {
  for (const segment of playlist.segments) {
    for (const line of segment.head) if ('map' in line) yield line.map;
    if (!segment.gap) yield segment;
  }
}
