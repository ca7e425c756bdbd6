import { formatAttributeList, replaceUri } from '@latchkey/shared/hls';
import type { MapTag } from '../hls/media-playlist.ts';
import { type KeyName, keyPath } from './content-key-source.ts';
import type { PlannedFile, PlannedSegment, RenditionPlan } from './plan-rendition.ts';

/** RFC 8216 section 7: the IV attribute needs version 2, EXT-X-I-FRAMES-ONLY 4, EXT-X-MAP elsewhere 6. @param stated of the source */
export function neededVersion(stated: number, hasMap: boolean, iFramesOnly: boolean): number {
  return Math.max(stated, hasMap ? 6 : iFramesOnly ? 4 : 2);
}

/**
 * The media playlist of the encrypted rendition: version, target duration and media sequence, then the other lines of the input in
 * their order, with an EXT-X-KEY before each segment. There is no KEYFORMAT: without one it is `identity`, the key itself (section
 * 4.3.2.4).
 *
 * An EXT-X-MAP in the clear has METHOD=NONE before it only if a key is in force. VLC 3 does not play a playlist that begins
 * with METHOD=NONE.
 */
export function renderMediaPlaylist(plan: RenditionPlan, keyUrlBase: string): string {
  const { playlist } = plan.rendition;
  const output: string[] = [];
  let encrypted = false;
  for (const { head, file, name } of plan.segments) {
    const keyAt = segmentKeyPosition(head);
    const lines = [...head.slice(0, keyAt), ...(file ? [{ file }] : []), ...head.slice(keyAt)];
    for (const line of lines) {
      if ('file' in line) {
        const { encryption } = line.file;
        if (encryption) output.push(keyTag(encryption, keyUrlBase));
        else if (encrypted) output.push('#EXT-X-KEY:METHOD=NONE');
        encrypted = encryption !== undefined;
      }
      if ('map' in line) output.push(renderMap(line.map, line.file.name));
      if ('text' in line) output.push(line.text);
    }
    output.push(file ? file.name : name);
  }
  output.push(...playlist.tail);

  const hasMap = playlist.segments.some(({ head }) => head.some((line) => 'map' in line));
  const version = neededVersion(playlist.version, hasMap, playlist.iFramesOnly);
  const head = [`#EXT-X-VERSION:${version}`, `#EXT-X-TARGETDURATION:${playlist.targetSeconds}`];
  if (playlist.mediaSequence > 0n) head.push(`#EXT-X-MEDIA-SEQUENCE:${playlist.mediaSequence}`);
  // The first line is #EXTM3U: a playlist without it has been refused.
  output.splice(1, 0, ...head);
  return `${output.join('\n')}\n`;
}

/**
 * Before #EXTINF, where players look for it, or after the last EXT-X-MAP if that is later: an EXT-X-MAP is in the clear or
 * has its own vector.
 */
function segmentKeyPosition(head: PlannedSegment['head']): number {
  const duration = head.findIndex((line) => 'tag' in line && line.tag === 'EXTINF');
  const lastMap = head.findLastIndex((line) => 'map' in line);
  return Math.max(duration, lastMap + 1);
}

/** Without BYTERANGE, since each initialization section is a separate file. */
function renderMap({ attributes }: MapTag, uri: string): string {
  return `#EXT-X-MAP:${formatAttributeList(replaceUri(attributes, uri, ['BYTERANGE']))}`;
}

/** EXT-X-KEY (RFC 8216 section 4.3.2.4) of one file. */
function keyTag({ key, iv }: NonNullable<PlannedFile['encryption']>, keyUrlBase: string): string {
  return `#EXT-X-KEY:METHOD=AES-128,URI="${keyUrl(key, keyUrlBase)}",IV=0x${iv.toString('hex')}`;
}

/** The URI that players fetch the content key from. */
export function keyUrl(key: KeyName, keyUrlBase: string): string {
  return `${keyUrlBase}${keyPath(key)}`;
}
