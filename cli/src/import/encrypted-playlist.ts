import {
  type AttributeList,
  findAttribute,
  formatAttributeList,
  type PlaylistLine,
  replaceUri,
} from '@latchkey/shared/hls';
import { type MediaSegment, parseMediaPlaylist } from '../hls/media-playlist.ts';
import { type Place, playlistError } from '../hls/playlist-error.ts';
import { type PlaylistText, readAttributes } from '../hls/playlist-lines.ts';

/** An EXT-X-KEY or EXT-X-SESSION-KEY with METHOD=AES-128 whose key is a file of 16 bytes. */
export interface KeyTag {
  readonly uri: string;
  /** 16 bytes; null where the number of the segment is the vector (RFC 8216 section 5.2). */
  readonly iv: Buffer | null;
  readonly place: Place;
}

/** A segment, and the key by which it is encrypted. */
export interface EncryptedSegment {
  readonly segment: MediaSegment;
  readonly key: KeyTag;
  /** 16 bytes. */
  readonly iv: Buffer;
}

/** A playlist whose keys are to be imported. */
export interface EncryptedPlaylist {
  readonly text: PlaylistText;
  /** Every key that it names, in its order. */
  readonly keys: readonly KeyTag[];
  readonly segments: readonly EncryptedSegment[];
}

const keyTags = ['EXT-X-KEY', 'EXT-X-SESSION-KEY'];
/** RFC 8216 section 4.3.2.4: the default of KEYFORMAT, a key in its binary form. */
const identity = 'identity';
const ivBytes = 16;

/**
 * Reads what an encrypted playlist says of keys.
 *
 * @throws AppError `VALIDATION_FAILED` with the line, for a method or a key system that these keys are not of
 */
export function readEncryptedPlaylist(text: PlaylistText, kind: 'media' | 'multivariant'): EncryptedPlaylist {
  const byLine = new Map<number, KeyTag | null>();
  const skipped: Place[] = [];
  for (const line of text.lines) {
    if (!keyTags.includes(line.tag)) continue;
    const read = readKeyTag(text.playlist, line);
    if (read === 'other system') skipped.push({ playlist: text.playlist, line: line.number });
    else byLine.set(line.number, read);
  }
  const keys = [...byLine.values()].filter((key) => key !== null);
  const [first] = skipped;
  if (first && keys.length === 0)
    throw playlistError(
      first,
      'the keys are those of another system (KEYFORMAT), and none stands there as a file',
    );
  return { text, keys, segments: kind === 'media' ? findSegments(text, byLine) : [] };
}

/** @returns null for METHOD=NONE */
function readKeyTag(playlist: string, line: PlaylistLine): KeyTag | null | 'other system' {
  const attributes = readAttributes(playlist, line);
  const place = { playlist, line: line.number };
  const method = findAttribute(attributes, 'METHOD');
  if (method === 'NONE') return null;
  if ((findAttribute(attributes, 'KEYFORMAT') ?? identity) !== identity) return 'other system';
  if (method !== 'AES-128')
    throw playlistError(place, `METHOD=${method ?? ''}; accepted: AES-128, whose keys this server serves`);
  const uri = findAttribute(attributes, 'URI');
  if (!uri) throw playlistError(place, `#${line.tag} without a URI`);
  return { uri, iv: readVector(attributes, place), place };
}

function readVector(attributes: AttributeList, place: Place): Buffer | null {
  const text = findAttribute(attributes, 'IV');
  if (text === undefined) return null;
  const [, digits] = /^0x([0-9a-f]{1,32})$/i.exec(text) ?? [];
  if (digits === undefined)
    throw playlistError(place, `IV=${text}; accepted: 0x and up to 32 hexadecimal digits`);
  return Buffer.from(digits.padStart(2 * ivBytes, '0'), 'hex');
}

function findSegments(text: PlaylistText, byLine: ReadonlyMap<number, KeyTag | null>): EncryptedSegment[] {
  const { segments, mediaSequence } = parseMediaPlaylist(text);
  const found: EncryptedSegment[] = [];
  let line = 0;
  let key: KeyTag | null = null;
  for (const [index, segment] of segments.entries()) {
    for (; line < segment.line; line++) if (byLine.has(line)) key = byLine.get(line) ?? null;
    if (!key || segment.gap) continue;
    found.push({ segment, key, iv: key.iv ?? vectorOf(mediaSequence + BigInt(index)) });
  }
  return found;
}

/** Section 5.2: the number of the segment, big-endian, padded on the left. */
function vectorOf(sequence: bigint): Buffer {
  return Buffer.from(sequence.toString(16).padStart(2 * ivBytes, '0'), 'hex');
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
    const attributes = replaceUri(readAttributes(text.playlist, line), uri);
    return `#${line.tag}:${formatAttributeList(attributes)}`;
  });
  return `${lines.join('\n')}\n`;
}
