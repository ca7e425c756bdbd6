import { formatAttributeList, replaceUri } from '../hls/attribute-list.ts';
import type { HeadLine, MediaSegment } from '../hls/media-playlist.ts';
import { type KeyName, keyPath } from './content-key-source.ts';
import type { EncryptedFile, RenditionPlan } from './plan-rendition.ts';

/** RFC 8216 section 7: the IV attribute needs version 2, an EXT-X-MAP outside of I-frame playlists version 6. */
const versionForIv = 2;
const versionForMap = 6;

/**
 * The media playlist of the encrypted rendition: the lines of the input in their order, with an EXT-X-KEY before each
 * segment and each EXT-X-MAP. There is no KEYFORMAT: without one it is `identity`, the key itself (section 4.3.2.4).
 *
 * @param prefix goes before the name of each file: empty, or the folder of the files with a `/`
 */
export function renderMediaPlaylist(plan: RenditionPlan, keyUrlBase: string, prefix = ''): string {
  const { playlist } = plan.rendition;
  const output: string[] = [];
  for (const segment of playlist.segments) {
    const keyAt = segmentKeyPosition(segment.head);
    const file = plan.fileOf.get(segment);
    segment.head.forEach((line, position) => {
      if (position === keyAt && file) output.push(keyTag(file, keyUrlBase));
      output.push(...renderHeadLine(line, plan, keyUrlBase, prefix));
    });
    if (keyAt === segment.head.length && file) output.push(keyTag(file, keyUrlBase));
    output.push(`${prefix}${file?.name ?? plan.gapNames.get(segment)}`);
  }
  output.push(...playlist.tail);

  const hasMap = playlist.segments.some(({ head }) => head.some((line) => 'map' in line));
  const version = Math.max(playlist.version, hasMap ? versionForMap : versionForIv);
  // The first line is #EXTM3U: a playlist without it has been refused.
  output.splice(1, 0, `#EXT-X-VERSION:${version}`);
  return `${output.join('\n')}\n`;
}

/**
 * Before #EXTINF, where players look for it; but after the last EXT-X-MAP, which has a vector of its own, should that
 * stand later.
 */
function segmentKeyPosition(head: MediaSegment['head']): number {
  const duration = head.findIndex((line) => 'tag' in line && line.tag === 'EXTINF');
  const lastMap = head.findLastIndex((line) => 'map' in line);
  return Math.max(duration, lastMap + 1);
}

function renderHeadLine(line: HeadLine, plan: RenditionPlan, keyUrlBase: string, prefix: string): string[] {
  if ('text' in line) return [line.text];
  const file = plan.fileOf.get(line.map);
  if (!file) throw new Error(`"${line.map.uri}" was not planned`);
  // Each initialization section is a file of its own now.
  const attributes = replaceUri(line.map.attributes, `${prefix}${file.name}`, ['BYTERANGE']);
  return [keyTag(file, keyUrlBase), `#EXT-X-MAP:${formatAttributeList(attributes)}`];
}

/** EXT-X-KEY (RFC 8216 section 4.3.2.4) of one file. */
function keyTag({ key, iv }: EncryptedFile, keyUrlBase: string): string {
  return `#EXT-X-KEY:METHOD=AES-128,URI="${keyUrl(key, keyUrlBase)}",IV=0x${iv.toString('hex')}`;
}

/** The URI that players fetch the content key from. */
export function keyUrl(key: KeyName, keyUrlBase: string): string {
  return `${keyUrlBase}${keyPath(key)}`;
}
