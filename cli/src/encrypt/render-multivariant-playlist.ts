import { formatAttributeList, replaceUri } from '../hls/attribute-list.ts';
import type { MultivariantPlaylist } from '../hls/parse-multivariant-playlist.ts';

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
  // After the tags that hold for the whole playlist and before the first that names a rendition.
  const first = lines.findIndex(
    (line) => !('text' in line) || /^#EXT-X-(STREAM-INF|MEDIA)\b/.test(line.text),
  );
  const sessionKeys = sessionKeyUrls.map((url) => `#EXT-X-SESSION-KEY:METHOD=AES-128,URI="${url}"`);
  output.splice(first, 0, ...sessionKeys);
  return `${output.join('\n')}\n`;
}
