import type { AppError } from '@latchkey/shared/errors';
import { type AttributeList, type PlaylistLine, parseAttributeList, splitLines } from '@latchkey/shared/hls';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';

/** Where in which playlist: `variant.m3u8:12`. */
export interface Place {
  /** The playlist as the user knows it: its path. */
  readonly playlist: string;
  /** Counted from 1; undefined for the whole playlist. */
  readonly line?: number;
}

/** A URI that a line of a playlist names. */
export interface Reference {
  readonly uri: string;
  readonly place: Required<Place>;
}

/** A line that knows its place, for messages. */
export interface PlacedLine extends PlaylistLine {
  readonly place: Required<Place>;
}

/** `VALIDATION_FAILED` for a playlist that cannot be encrypted. @param detail what is wrong and what to do */
export function playlistError(place: Place, detail: string, cause?: unknown): AppError {
  const playlist = showUrl(place.playlist);
  const where = place.line === undefined ? playlist : `${playlist}:${place.line}`;
  return refusal(`${where}: ${detail}`, cause);
}

/** A playlist as lines. */
export interface PlaylistText {
  /** The path, for messages. */
  readonly playlist: string;
  readonly lines: readonly PlacedLine[];
}

/**
 * Splits a playlist into lines, which may end in LF or CRLF. It drops a byte order mark, which RFC 8216 section 4.1 forbids
 * but files made on Windows have.
 *
 * @param bytes the file
 * @throws AppError `VALIDATION_FAILED` if it is not UTF-8 or does not begin with `#EXTM3U`
 */
export function splitPlaylist(playlist: string, bytes: Uint8Array): PlaylistText {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw playlistError({ playlist }, 'is not UTF-8 text, so it is not an HLS playlist', cause);
  }
  const lines = splitLines(text);
  if (!lines) throw playlistError({ playlist }, 'does not begin with #EXTM3U, so it is not an HLS playlist');
  return { playlist, lines: lines.map((line) => ({ ...line, place: { playlist, line: line.number } })) };
}

/** The attributes of a tag. @throws AppError `VALIDATION_FAILED` that names the line */
export function readAttributes({ tag, value, place }: PlacedLine): AttributeList {
  try {
    return parseAttributeList(value);
  } catch (error) {
    throw playlistError(place, `#${tag}: ${(error as SyntaxError).message}`, error);
  }
}

/** Which of the two kinds a playlist is. @throws AppError if it is neither, or both (RFC 8216 section 4.1) */
export function classifyPlaylist({ playlist, lines }: PlaylistText): 'media' | 'multivariant' {
  const has = (...tags: string[]) => lines.some(({ tag }) => tags.includes(tag));
  const media = has('EXTINF', 'EXT-X-TARGETDURATION');
  const multivariant = has('EXT-X-STREAM-INF', 'EXT-X-I-FRAME-STREAM-INF', 'EXT-X-MEDIA');
  if (media && multivariant) {
    throw playlistError(
      { playlist },
      'has tags of a multivariant and of a media playlist: it can be one only',
    );
  }
  if (!media && !multivariant) throw playlistError({ playlist }, 'lists neither segments nor variants');
  return media ? 'media' : 'multivariant';
}
