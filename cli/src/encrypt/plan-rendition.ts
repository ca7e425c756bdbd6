import type { MapTag, MediaReference, MediaSegment } from '../hls/media-playlist.ts';
import { showUrl } from '../show-url.ts';
import type { KeyName } from './content-key-source.ts';
import type { Rendition } from './load-presentation.ts';
import type { MediaLocations, SourceSlice } from './locate-media.ts';
import { createMapNamer, segmentName } from './target-names.ts';

/** One file to be written. */
export interface PlannedFile {
  readonly source: SourceSlice;
  /** In the rendition's folder, without a hash. */
  readonly name: string;
  /** The key, and a vector of 16 bytes for this file alone. Undefined for an initialization section in the clear. */
  readonly encryption: { readonly key: KeyName; readonly iv: Buffer } | undefined;
}

/** The name that a file was written by. */
export type NameOf = (file: PlannedFile) => string;

export interface RenditionPlan {
  readonly rendition: Rendition;
  /** Segments and initialization sections in the order of their first use. */
  readonly files: readonly PlannedFile[];
  /** The file of each segment and each EXT-X-MAP; segments marked EXT-X-GAP have none. */
  readonly fileOf: ReadonlyMap<MediaReference, PlannedFile>;
  /** Names in the playlist for segments marked EXT-X-GAP. */
  readonly gapNames: ReadonlyMap<MediaSegment, string>;
  /** The key that a segment has, or would have if it were not marked EXT-X-GAP. */
  readonly keyOf: (segment: MediaSegment) => KeyName;
}

interface RenditionPlanOptions {
  readonly keyOf: (segment: MediaSegment) => KeyName;
  /** The EXT-X-MAP tags whose files contain no media. */
  readonly clearMaps: ReadonlySet<MediaReference>;
  readonly issueIv: () => Buffer;
}

/**
 * Decides key, vector and name of every file. An EXT-X-MAP that has to be encrypted has the key of the segment
 * after it, which is in force at the tag (RFC 8216 section 4.3.2.5).
 */
export function planRendition(
  rendition: Rendition,
  locations: MediaLocations,
  { keyOf, clearMaps, issueIv }: RenditionPlanOptions,
): RenditionPlan {
  const files: PlannedFile[] = [];
  const fileOf = new Map<MediaReference, PlannedFile>();
  const gapNames = new Map<MediaSegment, string>();
  const maps = new Map<string, PlannedFile>();
  const nameMap = createMapNamer();
  let fragmented = false;

  const add = (reference: MediaReference, name: string, key: KeyName | undefined): PlannedFile => {
    const source = locations.get(reference);
    if (!source) throw new Error(`"${showUrl(reference.uri)}" was not located`);
    const file = { source, name, encryption: key && { key, iv: issueIv() } };
    files.push(file);
    return file;
  };
  // A map that is repeated, for example after a discontinuity, is written once: in the clear, or under each key.
  const addMap = (map: MapTag, number: bigint, segmentKey: KeyName): PlannedFile => {
    const key = clearMaps.has(map) ? undefined : segmentKey;
    const id = JSON.stringify([locations.get(map), key]);
    const file = maps.get(id) ?? add(map, nameMap(number, map.uri), key);
    maps.set(id, file);
    return file;
  };

  rendition.playlist.segments.forEach((segment, index) => {
    const number = rendition.playlist.mediaSequence + BigInt(index);
    const key = keyOf(segment);
    for (const line of segment.head) {
      if (!('map' in line)) continue;
      fragmented = true;
      fileOf.set(line.map, addMap(line.map, number, key));
    }
    const name = segmentName(number, segment.uri, fragmented);
    if (segment.gap) gapNames.set(segment, name);
    else fileOf.set(segment, add(segment, name, key));
  });
  return { rendition, files, fileOf, gapNames, keyOf };
}
