import { type AttributeList, findAttribute } from './attribute-list.ts';
import { playlistError } from './playlist-error.ts';
import { type PlaylistText, readAttributes } from './playlist-lines.ts';

/** A line of a multivariant playlist: kept to the letter, or one that names a media playlist. */
export type MultivariantLine =
  | { readonly text: string }
  /** The URI line of EXT-X-STREAM-INF (RFC 8216 section 4.3.4.2). */
  | { readonly variantUri: string; readonly line: number }
  /** EXT-X-MEDIA with a URI (section 4.3.4.1); without one it is kept to the letter. */
  | { readonly mediaUri: string; readonly attributes: AttributeList; readonly line: number };

export interface MultivariantPlaylist {
  /** The path, for messages. */
  readonly playlist: string;
  readonly lines: readonly MultivariantLine[];
  /** How many EXT-X-I-FRAME-STREAM-INF were left out: their byte ranges do not decrypt on their own. */
  readonly droppedIFramePlaylists: number;
}

/**
 * Reads a multivariant playlist (RFC 8216 section 4.3.4).
 *
 * @throws AppError `VALIDATION_FAILED` with the line
 */
export function parseMultivariantPlaylist({ playlist, lines }: PlaylistText): MultivariantPlaylist {
  const result: MultivariantLine[] = [];
  let droppedIFramePlaylists = 0;
  let awaitsUri: number | undefined;
  for (const line of lines) {
    const place = { playlist, line: line.number };
    if (line.kind === 'uri') {
      if (awaitsUri === undefined) throw playlistError(place, 'a URI without #EXT-X-STREAM-INF before it');
      result.push({ variantUri: line.text.trim(), line: line.number });
      awaitsUri = undefined;
      continue;
    }
    if (line.tag === 'EXT-X-I-FRAME-STREAM-INF') {
      droppedIFramePlaylists++;
      continue;
    }
    if (line.tag === 'EXT-X-STREAM-INF') {
      if (awaitsUri !== undefined) throw playlistError({ playlist, line: awaitsUri }, missingUri);
      awaitsUri = line.number;
    }
    const attributes = line.tag === 'EXT-X-MEDIA' ? readAttributes(playlist, line) : [];
    const mediaUri = findAttribute(attributes, 'URI');
    result.push(mediaUri ? { mediaUri, attributes, line: line.number } : { text: line.text });
  }
  if (awaitsUri !== undefined) throw playlistError({ playlist, line: awaitsUri }, missingUri);
  return { playlist, lines: result, droppedIFramePlaylists };
}

const missingUri = '#EXT-X-STREAM-INF without a URI after it';
