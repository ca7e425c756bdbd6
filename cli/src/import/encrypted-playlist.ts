import { createDecipheriv } from 'node:crypto';
import { type AttributeList, findAttribute, formatAttributeList, replaceUri } from '@latchkey/shared/hls';
import { type MediaSegment, parseMediaPlaylist } from '../hls/media-playlist.ts';
import {
  type PlacedLine,
  type PlaylistText,
  playlistError,
  type Reference,
  readAttributes,
} from '../hls/playlist-lines.ts';
import { showUrl } from '../show-url.ts';

/** An EXT-X-KEY or EXT-X-SESSION-KEY with METHOD=AES-128 whose key is a file of 16 bytes. */
export interface KeyTag extends Reference {
  /** 16 bytes; null where the number of the segment is the vector (RFC 8216 section 5.2). */
  readonly iv: Buffer | null;
}

/** A segment, and the key by which it is encrypted. */
export interface EncryptedSegment {
  readonly segment: MediaSegment;
  readonly key: KeyTag;
  /** 16 bytes. */
  readonly iv: Buffer;
  /** False for an I-frame that is a range of a segment: it begins and ends in the middle of what was encrypted. */
  readonly isWhole: boolean;
}

/** A playlist whose keys are to be imported. */
export interface EncryptedPlaylist {
  readonly text: PlaylistText;
  /** Every key that it names, in its order. */
  readonly keys: readonly KeyTag[];
  readonly segments: readonly EncryptedSegment[];
}

/** A key of another key system. A segment may have keys of several systems: section 4.3.2.4. */
const otherSystem = 'other system';
/** The key tags of a playlist by their lines; null for METHOD=NONE. */
type KeyLines = Map<number, KeyTag | null | typeof otherSystem>;

const keyTags = ['EXT-X-KEY', 'EXT-X-SESSION-KEY'];
/** RFC 8216 section 4.3.2.4: the default of KEYFORMAT, a key in its binary form. Some servers write the default as an empty text. */
const identity = ['identity', ''];
/** A block of AES, and so a vector. */
const blockBytes = 16;

/**
 * Reads what an encrypted playlist says of keys.
 *
 * @throws AppError `VALIDATION_FAILED` with the line, for a method or a key system that these keys are not of
 */
export function readEncryptedPlaylist(text: PlaylistText, kind: 'media' | 'multivariant'): EncryptedPlaylist {
  const byLine: KeyLines = new Map();
  for (const line of text.lines) {
    if (keyTags.includes(line.tag)) byLine.set(line.number, readKeyTag(line));
  }
  const keys = [...byLine.values()].filter((key) => key !== null && key !== otherSystem);
  return { text, keys, segments: kind === 'media' ? findSegments(text, byLine) : [] };
}

/** @returns null for METHOD=NONE */
function readKeyTag(line: PlacedLine): KeyTag | null | typeof otherSystem {
  const attributes = readAttributes(line);
  const { place } = line;
  const method = findAttribute(attributes, 'METHOD');
  if (method === 'NONE') return null;
  if (!identity.includes(findAttribute(attributes, 'KEYFORMAT') ?? '')) return otherSystem;
  if (method !== 'AES-128')
    throw playlistError(place, `METHOD=${method ?? ''}; accepted: AES-128, whose keys this server serves`);
  const uri = findAttribute(attributes, 'URI');
  if (!uri) throw playlistError(place, `#${line.tag} without a URI`);
  return { uri, iv: readVector(attributes, place), place };
}

function readVector(attributes: AttributeList, place: KeyTag['place']): Buffer | null {
  const text = findAttribute(attributes, 'IV');
  if (text === undefined) return null;
  const [, digits] = /^0x([0-9a-f]{1,32})$/i.exec(text) ?? [];
  if (digits === undefined)
    throw playlistError(place, `IV=${text}; accepted: 0x and up to 32 hexadecimal digits`);
  return Buffer.from(digits.padStart(2 * blockBytes, '0'), 'hex');
}

function findSegments(text: PlaylistText, byLine: KeyLines): EncryptedSegment[] {
  const { segments, mediaSequence, iFramesOnly } = parseMediaPlaylist(text);
  const found: EncryptedSegment[] = [];
  let line = 0;
  let key: KeyTag | null = null;
  let foreignLine: number | null = null;
  for (const [index, segment] of segments.entries()) {
    for (; line < segment.place.line; line++) {
      const tag = byLine.get(line);
      if (tag === otherSystem) foreignLine = line;
      else if (tag !== undefined) key = tag;
      if (tag === null) foreignLine = null;
    }
    if (segment.gap) continue;
    if (key) {
      const isWhole = !(iFramesOnly && segment.byteRange);
      if (isWhole) assertWholeBlocks(segment, segment.byteRange?.length ?? 0);
      found.push({ segment, key, iv: key.iv ?? vectorOf(mediaSequence + BigInt(index)), isWhole });
    } else if (foreignLine !== null)
      throw playlistError(
        { playlist: text.playlist, line: foreignLine },
        'the key belongs to another system (KEYFORMAT), and there is none in a file',
      );
  }
  return found;
}

/**
 * Some packagers write ranges that end before the padding. The key may be right, but no player can decrypt such a segment.
 *
 * @param length of the segment in bytes
 * @throws AppError `VALIDATION_FAILED`
 */
export function assertWholeBlocks({ uri, byteRange, place }: MediaSegment, length: number) {
  if (length % blockBytes === 0) return;
  const part = byteRange
    ? `the range of ${length} bytes at ${byteRange.offset} of "${showUrl(uri)}" ends in the middle of a block`
    : `"${showUrl(uri)}" has ${length} bytes and so ends in the middle of a block`;
  throw playlistError(
    place,
    `${part} of ${blockBytes} bytes: it is cut before its padding, and no player can decrypt it. Nothing was stored`,
  );
}

/** Section 5.2: the number of the segment, big-endian, padded on the left. */
function vectorOf(sequence: bigint): Buffer {
  return Buffer.from(sequence.toString(16).padStart(2 * blockBytes, '0'), 'hex');
}

/**
 * The playlist with other URIs of its keys, and otherwise as it was.
 *
 * @param uriOf the new URI of a key tag; undefined leaves it as it is
 */
export function rewriteKeys(
  { text, keys }: EncryptedPlaylist,
  uriOf: (key: KeyTag) => string | undefined,
): string {
  const byLine = new Map(keys.map((key) => [key.place.line, key]));
  const lines = text.lines.map((line) => {
    const key = byLine.get(line.number);
    const uri = key && uriOf(key);
    if (uri === undefined) return line.text;
    const attributes = replaceUri(readAttributes(line), uri);
    return `#${line.tag}:${formatAttributeList(attributes)}`;
  });
  return `${lines.join('\n')}\n`;
}

/** A segment begins with one of these: what tells media from the noise that another key makes. */
const beginnings: readonly (readonly [media: string, pattern: RegExp])[] = [
  // 0x47 begins each packet of 188 bytes.
  ['MPEG-TS', /^G(?:.{187}G|.{0,187}$)/s],
  ['fMP4', /^.{4}(?:styp|ftyp|moof|moov|sidx|emsg|prft|free|skip|mdat)/s],
  ['ID3 of packed audio', /^ID3/],
  ['ADTS or MPEG audio', /^\xff[\xe0-\xff]/],
  // The sync word 0x0b77.
  ['AC-3', /^\vw/],
  ['WebVTT', /^(?:\xef\xbb\xbf)?WEBVTT/],
];

interface Proof {
  /** The kind of media. */
  readonly media: string;
  /** False if the segment does not end in the padding that RFC 8216 section 4.3.2.4 demands. */
  readonly isPadded: boolean;
}

/**
 * Decrypts a segment (RFC 8216 section 4.3.2.4: AES-128-CBC with PKCS7 padding) and looks whether it is media.
 *
 * Another key passes by chance once in some 500,000 times: 1 in 256 paddings is right, and 1 in some 1,900 beginnings looks like one of these.
 * As a key of a segment without padding it passes once in 1,900 times.
 *
 * @param segment whole blocks of 16 bytes
 * @param key 16 bytes
 * @param iv 16 bytes
 * @returns null if this is not the key of the segment
 */
export function proveKey(segment: Buffer, key: Buffer, iv: Buffer): Proof | null {
  const decipher = createDecipheriv('aes-128-cbc', key, iv).setAutoPadding(false);
  const clear = Buffer.concat([decipher.update(segment), decipher.final()]);
  const padding = countPadding(clear);
  const beginning = clear.subarray(0, clear.length - padding).toString('latin1', 0, 189);
  const [media] = beginnings.find(([, pattern]) => pattern.test(beginning)) ?? [];
  return media === undefined ? null : { media, isPadded: padding > 0 };
}

/** RFC 5652 section 6.3: the last n bytes have the value n, 1 to the length of a block. @returns 0 without padding */
function countPadding(clear: Buffer): number {
  const count = clear.at(-1) ?? 0;
  const isPadding =
    count <= blockBytes && clear.subarray(clear.length - count).every((byte) => byte === count);
  return isPadding ? count : 0;
}
