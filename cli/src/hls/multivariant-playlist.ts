import {
  type AttributeList,
  findAttribute,
  formatAttributeList,
  type PlaylistLine,
  replaceUri,
} from '@latchkey/shared/hls';
import { playlistError } from './playlist-error.ts';
import { type PlaylistText, readAttributes } from './playlist-lines.ts';

/** A line of a multivariant playlist: kept unchanged, or one that names a media playlist. */
type MultivariantLine =
  | { readonly text: string }
  /** The URI line of EXT-X-STREAM-INF (RFC 8216 section 4.3.4.2), with the attributes of that tag as they are written. */
  | { readonly variantUri: string; readonly attributes: string; readonly line: number }
  /** EXT-X-MEDIA with a URI (section 4.3.4.1), or EXT-X-I-FRAME-STREAM-INF (4.3.4.3). */
  | {
      readonly taggedUri: string;
      readonly tag: string;
      readonly attributes: AttributeList;
      readonly line: number;
    };

export interface MultivariantPlaylist {
  /** The path, for messages. */
  readonly playlist: string;
  readonly lines: readonly MultivariantLine[];
}

/**
 * Reads a multivariant playlist (RFC 8216 section 4.3.4).
 *
 * @throws AppError `VALIDATION_FAILED` with the line
 */
export function parseMultivariantPlaylist({ playlist, lines }: PlaylistText): MultivariantPlaylist {
  const result: MultivariantLine[] = [];
  let variant: PlaylistLine | undefined;
  for (const line of lines) {
    const place = { playlist, line: line.number };
    if (line.kind === 'uri') {
      if (!variant) throw playlistError(place, 'a URI without #EXT-X-STREAM-INF before it');
      result.push({ variantUri: line.text.trim(), attributes: variant.value, line: line.number });
      variant = undefined;
      continue;
    }
    if (line.tag === 'EXT-X-STREAM-INF') {
      if (variant) throw playlistError({ playlist, line: variant.number }, missingUri);
      variant = line;
    }
    result.push(readOther(playlist, line));
  }
  if (variant) throw playlistError({ playlist, line: variant.number }, missingUri);
  return { playlist, lines: result };
}

function readOther(playlist: string, line: PlaylistLine): MultivariantLine {
  const isIFrames = line.tag === 'EXT-X-I-FRAME-STREAM-INF';
  if (line.tag !== 'EXT-X-MEDIA' && !isIFrames) return { text: line.text };
  const attributes = readAttributes(playlist, line);
  const taggedUri = findAttribute(attributes, 'URI');
  if (taggedUri) return { taggedUri, tag: line.tag, attributes, line: line.number };
  if (isIFrames) throw playlistError({ playlist, line: line.number }, `#${line.tag} without a URI`);
  return { text: line.text };
}

const missingUri = '#EXT-X-STREAM-INF without a URI after it';

/**
 * The multivariant playlist of the encrypted presentation. EXT-X-SESSION-KEY lets a player fetch a content key before
 * it has read a media playlist (RFC 8216 section 4.3.4.5).
 *
 * @param targetOfUri path in the output, relative to this playlist, of each media playlist that the input names
 * @param sessionKeyUrls the first key of each rendition, without repetition (the section forbids the same tag twice)
 */
export function renderMultivariantPlaylist(
  { lines }: MultivariantPlaylist,
  targetOfUri: (uri: string) => string,
  sessionKeyUrls: readonly string[],
): string {
  const output = lines.map((line) => {
    if ('variantUri' in line) return targetOfUri(line.variantUri);
    if ('taggedUri' in line) {
      return `#${line.tag}:${formatAttributeList(replaceUri(line.attributes, targetOfUri(line.taggedUri)))}`;
    }
    return line.text;
  });
  // After the tags that apply to the whole playlist, and before the first that names a rendition.
  const first = lines.findIndex(
    (line) => !('text' in line) || /^#EXT-X-(STREAM-INF|MEDIA)\b/.test(line.text),
  );
  const sessionKeys = sessionKeyUrls.map((url) => `#EXT-X-SESSION-KEY:METHOD=AES-128,URI="${url}"`);
  output.splice(first, 0, ...sessionKeys);
  return `${output.join('\n')}\n`;
}
