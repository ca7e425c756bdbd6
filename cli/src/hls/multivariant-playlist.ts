import {
  type AttributeList,
  findAttribute,
  formatAttributeList,
  parseAttributeList,
  replaceUri,
} from '@latchkey/shared/hls';
import {
  type PlacedLine,
  type PlaylistText,
  playlistError,
  type Reference,
  readAttributes,
} from './playlist-lines.ts';

/** A media playlist that a multivariant playlist names. */
interface NamedPlaylist extends Reference {
  /** {@link variantTag}, or EXT-X-MEDIA (RFC 8216 section 4.3.4.1) or EXT-X-I-FRAME-STREAM-INF (4.3.4.3). */
  readonly tag: string;
  /** Of that tag. None of a malformed {@link variantTag}: its line is kept as it is, so a fault in it is a matter for players. */
  readonly attributes: AttributeList;
}

/** RFC 8216 section 4.3.4.2: its URI is the line after it. */
export const variantTag = 'EXT-X-STREAM-INF';

export interface MultivariantPlaylist {
  /** A text is kept unchanged. */
  readonly lines: readonly ({ readonly text: string } | NamedPlaylist)[];
  /** The lines that name a media playlist. */
  readonly named: readonly NamedPlaylist[];
}

/**
 * Reads a multivariant playlist (RFC 8216 section 4.3.4).
 *
 * @throws AppError `VALIDATION_FAILED` with the line
 */
export function parseMultivariantPlaylist({ lines }: PlaylistText): MultivariantPlaylist {
  const result: MultivariantPlaylist['lines'][number][] = [];
  let variant: PlacedLine | undefined;
  for (const line of lines) {
    if (line.kind === 'uri') {
      const { text, place } = line;
      if (!variant) throw playlistError(place, 'a URI without #EXT-X-STREAM-INF before it');
      const attributes = readLeniently(variant.value);
      result.push({ uri: text.trim(), tag: variantTag, attributes, place });
      variant = undefined;
      continue;
    }
    if (line.tag === variantTag) {
      if (variant) throw playlistError(variant.place, missingUri);
      variant = line;
    }
    result.push(readOther(line));
  }
  if (variant) throw playlistError(variant.place, missingUri);
  return { lines: result, named: result.filter((line) => 'uri' in line) };
}

function readLeniently(attributes: string): AttributeList {
  try {
    return parseAttributeList(attributes);
  } catch {
    return [];
  }
}

function readOther(line: PlacedLine): MultivariantPlaylist['lines'][number] {
  const { tag, text, place } = line;
  const isIFrames = tag === 'EXT-X-I-FRAME-STREAM-INF';
  if (tag !== 'EXT-X-MEDIA' && !isIFrames) return { text };
  const attributes = readAttributes(line);
  const uri = findAttribute(attributes, 'URI');
  if (uri) return { uri, tag, attributes, place };
  if (isIFrames) throw playlistError(place, `#${tag} without a URI`);
  return { text };
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
    if ('text' in line) return line.text;
    const target = targetOfUri(line.uri);
    if (line.tag === variantTag) return target;
    return `#${line.tag}:${formatAttributeList(replaceUri(line.attributes, target))}`;
  });
  // After the tags that apply to the whole playlist, and before the first that names a rendition.
  const first = lines.findIndex((line) => 'uri' in line || /^#EXT-X-(STREAM-INF|MEDIA)\b/.test(line.text));
  const sessionKeys = sessionKeyUrls.map((url) => `#EXT-X-SESSION-KEY:METHOD=AES-128,URI="${url}"`);
  output.splice(first, 0, ...sessionKeys);
  return `${output.join('\n')}\n`;
}
