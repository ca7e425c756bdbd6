import { stat } from 'node:fs/promises';
import type { HeadLine, MapTag, MediaReference } from '../hls/media-playlist.ts';
import { playlistError } from '../hls/playlist-lines.ts';
import { resolveReference } from '../hls/resolve-reference.ts';
import { type FileRange, readRange } from '../read-range.ts';
import { showUrl } from '../show-url.ts';
import type { KeyName } from './content-key-source.ts';
import { isInitializationSection } from './initialization-section.ts';
import type { Rendition } from './load-presentation.ts';
import { createMapNamer, segmentName } from './target-names.ts';

/** One file to be written. */
export interface PlannedFile {
  readonly source: FileRange;
  /** In the rendition's folder. Once it is written, it may have a hash of its bytes. */
  name: string;
  /** The key, and a vector of 16 bytes for this file alone. Undefined for an initialization section in the clear. */
  readonly encryption: { readonly key: KeyName; readonly iv: Buffer } | undefined;
}

export interface PlannedSegment {
  readonly seconds: number;
  /** The lines before it, with the file of each EXT-X-MAP. */
  readonly head: readonly (Exclude<HeadLine, { map: MapTag }> | { map: MapTag; file: PlannedFile })[];
  /** Undefined for a segment marked EXT-X-GAP. */
  readonly file: PlannedFile | undefined;
  /** In the playlist, without a hash. */
  readonly name: string;
  /** The key that it has, or would have if it were not marked EXT-X-GAP. */
  readonly key: KeyName;
}

export interface RenditionPlan {
  readonly rendition: Rendition;
  readonly segments: readonly PlannedSegment[];
  /** Segments and initialization sections in the order of their first use. */
  readonly files: readonly PlannedFile[];
}

export interface RenditionPlanOptions {
  /** Nothing outside of this folder is read. */
  readonly sourceRoot: string;
  /** The key of a segment. @param index in the playlist @param source undefined for a segment marked EXT-X-GAP */
  readonly keyOf: (index: number, source: FileRange | undefined) => KeyName;
  readonly issueIv: () => Buffer;
  readonly warn: (text: string) => void;
}

/**
 * Finds every file, and decides its key, vector and name. An EXT-X-MAP that has to be encrypted has the key of the segment
 * after it, which is in force at the tag (RFC 8216 section 4.3.2.5).
 *
 * @throws AppError `VALIDATION_FAILED` for a file that is missing, too short, or outside `sourceRoot`
 */
export async function planRendition(
  rendition: Rendition,
  { sourceRoot, keyOf, issueIv, warn }: RenditionPlanOptions,
): Promise<RenditionPlan> {
  const { mediaSequence, segments } = rendition.playlist;
  const locate = createLocator(rendition.path, sourceRoot);
  /** Whether the file may stay in the clear. A stream with many breaks names the same few sections repeatedly. */
  const clearSections = new Map<string, boolean>();
  const files: PlannedFile[] = [];
  const maps = new Map<string, PlannedFile>();
  const nameMap = createMapNamer();
  let fragmented = false;

  const add = (source: FileRange, name: string, key: KeyName | undefined): PlannedFile => {
    const file = { source, name, encryption: key && { key, iv: issueIv() } };
    files.push(file);
    return file;
  };
  // A map that is repeated, for example after a discontinuity, is written once: in the clear, or under each key.
  const addMap = async (map: MapTag, number: bigint, segmentKey: KeyName): Promise<PlannedFile> => {
    const source = await locate(map);
    const section = JSON.stringify(source);
    const isClear = clearSections.get(section) ?? (await mayStayClear(map, source, warn));
    clearSections.set(section, isClear);
    const key = isClear ? undefined : segmentKey;
    const id = JSON.stringify([source, key]);
    const file = maps.get(id) ?? add(source, nameMap(number, map.uri), key);
    maps.set(id, file);
    return file;
  };

  const planned: PlannedSegment[] = [];
  for (const [index, segment] of segments.entries()) {
    const number = mediaSequence + BigInt(index);
    const source = segment.gap ? undefined : await locate(segment);
    const key = keyOf(index, source);
    const head: PlannedSegment['head'][number][] = [];
    for (const line of segment.head) {
      fragmented ||= 'map' in line;
      head.push('map' in line ? { map: line.map, file: await addMap(line.map, number, key) } : line);
    }
    const name = segmentName(number, segment.uri, fragmented);
    planned.push({ seconds: segment.seconds, head, file: source && add(source, name, key), name, key });
  }
  return { rendition, segments: planned, files };
}

/** @param warn gets one sentence if the file is more than an initialization section */
async function mayStayClear(
  { uri, place }: MapTag,
  { path, offset, length }: FileRange,
  warn: RenditionPlanOptions['warn'],
): Promise<boolean> {
  const read = (from: number, count: number) => readRange({ path, offset: offset + from, length: count });
  const isClear = await isInitializationSection(length, read);
  if (!isClear)
    warn(
      `${place.playlist}:${place.line}: "${showUrl(uri)}" of #EXT-X-MAP is more than an initialization section, so it is encrypted; VLC does not play that`,
    );
  return isClear;
}

/** Finds the bytes of segments and initialization sections. */
function createLocator(playlistPath: string, sourceRoot: string) {
  const files = new Map<string, { path: string; size: number }>();
  return async ({ uri, byteRange, place }: MediaReference): Promise<FileRange> => {
    let file = files.get(uri);
    if (!file) {
      const path = await resolveReference(uri, playlistPath, sourceRoot, place);
      const found = await stat(path);
      if (!found.isFile()) throw playlistError(place, `"${showUrl(uri)}" is not a file`);
      file = { path, size: found.size };
      files.set(uri, file);
    }
    const { path, size } = file;
    const { offset, length } = byteRange ?? { offset: 0, length: size };
    if (offset + length <= size) return { path, offset, length };
    const detail = `bytes ${offset} to ${offset + length} of "${showUrl(uri)}", which has ${size} only`;
    throw playlistError(place, detail);
  };
}
