import type { MapTag, MediaReference, MediaSegment } from '../hls/media-playlist.ts';
import type { KeyName } from './content-key-source.ts';
import type { IssueIv } from './issue-iv.ts';
import type { Rendition } from './load-presentation.ts';
import type { MediaLocations, SourceSlice } from './locate-media.ts';
import { mapName, segmentName } from './target-names.ts';

/** One file to be written: which octets, under which key and vector, by which name in the rendition's folder. */
export interface EncryptedFile {
  readonly source: SourceSlice;
  readonly name: string;
  readonly key: KeyName;
  /** 16 octets, of this file alone. */
  readonly iv: Buffer;
}

export interface RenditionPlan {
  readonly rendition: Rendition;
  /** Segments and initialization sections in the order of their first use. */
  readonly files: readonly EncryptedFile[];
  /** The file of each segment and each EXT-X-MAP; segments marked EXT-X-GAP have none. */
  readonly fileOf: ReadonlyMap<MediaReference, EncryptedFile>;
  /** Names in the playlist for segments marked EXT-X-GAP. */
  readonly gapNames: ReadonlyMap<MediaSegment, string>;
}

export interface RenditionPlanOptions {
  readonly contentId: string;
  /** Segments of an epoch; undefined for one key throughout. */
  readonly rotateEverySegments: number | undefined;
  readonly issueIv: IssueIv;
}

/**
 * Decides key, vector and name of every file. Segment n is in epoch floor(n / rotateEverySegments), an EXT-X-MAP in
 * that of the segment it stands before: the key in force where the tag stands (RFC 8216 section 4.3.2.5).
 */
export function planRendition(
  rendition: Rendition,
  locations: MediaLocations,
  { contentId, rotateEverySegments, issueIv }: RenditionPlanOptions,
): RenditionPlan {
  const files: EncryptedFile[] = [];
  const fileOf = new Map<MediaReference, EncryptedFile>();
  const gapNames = new Map<MediaSegment, string>();
  const maps = new Map<string, EncryptedFile>();
  let fragmented = false;

  const add = (reference: MediaReference, name: string, key: KeyName): EncryptedFile => {
    const source = locations.get(reference);
    if (!source) throw new Error(`"${reference.uri}" was not located`);
    const file = { source, name, key, iv: issueIv() };
    files.push(file);
    return file;
  };
  // A map that is repeated, after a discontinuity say, is written once under each key.
  const addMap = (map: MapTag, key: KeyName): EncryptedFile => {
    const id = JSON.stringify([locations.get(map), key]);
    const file = maps.get(id) ?? add(map, mapName(maps.size, map.uri), key);
    maps.set(id, file);
    return file;
  };

  rendition.playlist.segments.forEach((segment, index) => {
    const epoch = rotateEverySegments === undefined ? undefined : Math.floor(index / rotateEverySegments);
    const key = { contentId, epoch };
    for (const line of segment.head) {
      if (!('map' in line)) continue;
      fragmented = true;
      fileOf.set(line.map, addMap(line.map, key));
    }
    const name = segmentName(index, segment.uri, fragmented);
    if (segment.gap) gapNames.set(segment, name);
    else fileOf.set(segment, add(segment, name, key));
  });
  return { rendition, files, fileOf, gapNames };
}
