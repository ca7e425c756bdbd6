import { type AttributeList, findAttribute } from '@latchkey/shared/hls';
import type { ByteRange } from '../read-range.ts';
import { showUrl } from '../show-url.ts';
import {
  type PlacedLine,
  type PlaylistText,
  playlistError,
  type Reference,
  readAttributes,
} from './playlist-lines.ts';
import { lowLatencyTags } from './refused-tags.ts';

/** A reference of a playlist to (a part of) a file. */
export interface MediaReference extends Reference {
  readonly byteRange: ByteRange | undefined;
}

/** EXT-X-MAP (RFC 8216 section 4.3.2.5): where the initialization section of the following segments is. */
export interface MapTag extends MediaReference {
  readonly attributes: AttributeList;
}

/** A line before a segment: kept unchanged, or an EXT-X-MAP to be rewritten. */
export type HeadLine = PlacedLine | { readonly map: MapTag };

export interface MediaSegment extends MediaReference {
  /** Duration by EXTINF; 0 if that is not a number, or over 10^9. */
  readonly seconds: number;
  /** EXT-X-GAP: the segment has no file. */
  readonly gap: boolean;
  /** The lines since the previous segment, in their order. The lines of the first segment include the head of the playlist. */
  readonly head: readonly HeadLine[];
}

/** A media playlist. Its lines together are the input, except for what encryption changes. */
export interface MediaPlaylist {
  /** The path, for messages. */
  readonly playlist: string;
  /** EXT-X-VERSION; 1 without the tag (RFC 8216 section 4.3.1.2). */
  readonly version: number;
  /** EXT-X-MEDIA-SEQUENCE, the number of the first segment; 0 without the tag (section 4.3.3.2). */
  readonly mediaSequence: bigint;
  /**
   * EXT-X-TARGETDURATION, in whole seconds: at least 1, and no segment is longer, rounded (section 4.3.3.1). So it may be more
   * than the playlist states.
   */
  readonly targetSeconds: number;
  /** EXT-X-I-FRAMES-ONLY: each segment is one picture, for fast forward (section 4.3.3.6). */
  readonly iFramesOnly: boolean;
  readonly segments: readonly MediaSegment[];
  /** Lines after the last segment. */
  readonly tail: readonly string[];
  /** False for a playlist without EXT-X-ENDLIST: it may still grow. */
  readonly ended: boolean;
}

/**
 * Reads a media playlist (RFC 8216 section 4.3.2 and 4.3.3). It keeps unknown tags. Its lines are without EXT-X-BYTERANGE,
 * EXT-X-KEY:METHOD=NONE, low-latency tags, and the tags whose value is a member of the result.
 *
 * @throws AppError `VALIDATION_FAILED` with the line
 */
export function parseMediaPlaylist({ playlist, lines }: PlaylistText): MediaPlaylist {
  const segments: MediaSegment[] = [];
  /** The lines since the last segment. */
  let before: PlacedLine[] = [];
  for (const line of lines) {
    if (line.kind === 'uri') {
      segments.push(readSegment(line, before, segments.at(-1)));
      before = [];
    } else before.push(line);
  }
  if (segments.length === 0) throw playlistError({ playlist }, 'has no segment');
  return {
    playlist,
    version: readVersion(lines),
    mediaSequence: readMediaSequence(lines),
    targetSeconds: segments.reduce(
      (most, { seconds }) => Math.max(most, Math.round(seconds)),
      readTargetSeconds(lines),
    ),
    iFramesOnly: lines.some(({ tag }) => tag === 'EXT-X-I-FRAMES-ONLY'),
    segments,
    // A map after the last segment applies to no segment.
    tail: readHead(before).flatMap((line) => ('text' in line ? [line.text] : [])),
    ended: lines.some(({ tag }) => tag === 'EXT-X-ENDLIST'),
  };
}

/** Tags that are not kept where they stand: they are written anew, or apply to a clear playlist only. */
const rewrittenTags = new Set([
  ...['EXT-X-VERSION', 'EXT-X-TARGETDURATION', 'EXT-X-MEDIA-SEQUENCE', 'EXT-X-BYTERANGE', 'EXT-X-KEY'],
  ...lowLatencyTags,
]);

function readHead(lines: readonly PlacedLine[]): HeadLine[] {
  const kept = lines.filter(({ tag }) => !rewrittenTags.has(tag));
  return kept.map((line) => (line.tag === 'EXT-X-MAP' ? { map: readMap(line) } : line));
}

/** Three decades. A larger number is not the duration of a segment. */
const mostSeconds = 1e9;

/** @returns 0 for anything that is not a number of seconds */
function readSeconds(value: string): number {
  const seconds = Number.parseFloat(value);
  return seconds < mostSeconds ? seconds : 0;
}

function readMap(line: PlacedLine): MapTag {
  const { place } = line;
  const attributes = readAttributes(line);
  const uri = findAttribute(attributes, 'URI');
  if (!uri) throw playlistError(place, '#EXT-X-MAP without a URI');
  const range = findAttribute(attributes, 'BYTERANGE');
  // Section 4.3.2.5: the BYTERANGE of a map without an offset begins at 0.
  const byteRange = range === undefined ? undefined : readRange(place, range, 0);
  return { attributes, uri, byteRange, place };
}

/** @param before the lines between the previous segment and this one */
function readSegment(
  { text, place }: PlacedLine,
  before: readonly PlacedLine[],
  previous: MediaSegment | undefined,
): MediaSegment {
  const head = readHead(before);
  const uri = text.trim();
  const duration = before.findLast(({ tag }) => tag === 'EXTINF');
  if (!duration) throw playlistError(place, `"${showUrl(uri)}" has no #EXTINF before it`);
  const range = before.findLast(({ tag }) => tag === 'EXT-X-BYTERANGE');
  const known = previous?.uri === uri ? previous.byteRange : undefined;
  const byteRange = range && readRange(range.place, range.value, known && known.offset + known.length);
  const gap = before.some(({ tag }) => tag === 'EXT-X-GAP');
  return { uri, byteRange, place, seconds: readSeconds(duration.value), gap, head };
}

/**
 * Reads `<n>[@<o>]`, as EXT-X-BYTERANGE and the BYTERANGE of EXT-X-MAP have it (RFC 8216 section 4.3.2.2). Without `o` the range begins at
 * the end of the previous range of the same file.
 *
 * @param nextOffset that end; undefined without a previous range
 */
function readRange(place: Reference['place'], text: string, nextOffset: number | undefined): ByteRange {
  const match = /^(\d{1,15})(?:@(\d{1,15}))?$/.exec(text.trim());
  if (!match)
    throw playlistError(place, `"${text}" is not a byte range; accepted: <length> or <length>@<offset>`);
  const length = Number(match[1]);
  const offset = match[2] === undefined ? nextOffset : Number(match[2]);
  if (offset === undefined)
    throw playlistError(place, `"${text}" has no offset, and no range of the same file stands before it`);
  if (length === 0) throw playlistError(place, `"${text}" is empty`);
  return { offset, length };
}

function readVersion(lines: readonly PlacedLine[]): number {
  const version = Number.parseInt(lines.find(({ tag }) => tag === 'EXT-X-VERSION')?.value ?? '1', 10);
  return Number.isInteger(version) && version > 0 ? version : 1;
}

/** @returns 1 without the tag, or if its value is no number of seconds */
function readTargetSeconds(lines: readonly PlacedLine[]): number {
  const value = lines.find(({ tag }) => tag === 'EXT-X-TARGETDURATION')?.value.trim() ?? '';
  return /^\d{1,9}(?:\.\d{1,9})?$/.test(value) ? Math.max(1, Math.ceil(Number(value))) : 1;
}

function readMediaSequence(lines: readonly PlacedLine[]): bigint {
  const line = lines.find(({ tag }) => tag === 'EXT-X-MEDIA-SEQUENCE');
  if (!line) return 0n;
  const number = /^\d{1,20}$/.test(line.value.trim()) ? BigInt(line.value.trim()) : undefined;
  if (number !== undefined && number <= largestInteger) return number;
  const detail = `#EXT-X-MEDIA-SEQUENCE "${line.value}"; accepted: a whole number from 0 to ${largestInteger}`;
  throw playlistError(line.place, detail);
}

/** Section 4.2: a decimal integer is at most 2^64-1. */
const largestInteger = 2n ** 64n - 1n;
