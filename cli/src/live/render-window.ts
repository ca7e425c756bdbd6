import { neededVersion } from '../encrypt/render-media-playlist.ts';
import type { LiveEntry, MapFile, RenditionState } from './rendition-state.ts';

/**
 * The encrypted live playlist. As in a finished presentation, an initialization section is in the clear: the first EXT-X-MAP
 * stands before the first EXT-X-KEY, and a later one has METHOD=NONE before it.
 *
 * @param keyUrlOf the URL of an epoch's key
 */
export function renderWindow(state: RenditionState, keyUrlOf: (epoch: number) => string): string {
  const { header, entries } = state;
  const [first] = entries;
  if (!header || !first) throw new Error('a playlist without a segment cannot be written');
  const hasMap = entries.some(({ map }) => map);
  const longest = entries.reduce((most, { seconds }) => Math.max(most, Math.round(seconds)), 0);
  const breaksBefore = first.discontinuityNumber - (first.discontinuity ? 1 : 0);
  const output = [
    '#EXTM3U',
    `#EXT-X-VERSION:${neededVersion(header.version, hasMap, header.iFramesOnly)}`,
    `#EXT-X-TARGETDURATION:${Math.max(header.targetSeconds, longest)}`,
    `#EXT-X-MEDIA-SEQUENCE:${first.number}`,
    ...(breaksBefore > 0 ? [`#EXT-X-DISCONTINUITY-SEQUENCE:${breaksBefore}`] : []),
    // Section 4.3.3.5: nothing is ever removed from a playlist of the type EVENT.
    ...header.lines.filter((line) => !(state.slides && line.startsWith('#EXT-X-PLAYLIST-TYPE'))),
  ];
  let map: MapFile | undefined;
  let encrypted = false;
  for (const entry of entries) {
    if (entry.discontinuity) output.push('#EXT-X-DISCONTINUITY');
    if (entry.map && (entry.map.name !== map?.name || entry.discontinuity)) {
      if (encrypted) output.push('#EXT-X-KEY:METHOD=NONE');
      encrypted = false;
      output.push(renderMap(entry.map));
    }
    map = entry.map;
    output.push(...renderLines(entry, keyUrlOf), entry.name);
    encrypted ||= entry.encryption !== undefined;
  }
  if (state.ended) output.push('#EXT-X-ENDLIST');
  return `${output.join('\n')}\n`;
}

function renderLines({ lines, encryption }: LiveEntry, keyUrlOf: (epoch: number) => string): string[] {
  if (!encryption) return [...lines];
  const key = `#EXT-X-KEY:METHOD=AES-128,URI="${keyUrlOf(encryption.epoch)}",IV=0x${encryption.iv}`;
  const at = lines.findIndex((line) => line.startsWith('#EXTINF'));
  return lines.toSpliced(at, 0, key);
}

function renderMap({ name, attributes }: MapFile): string {
  return `#EXT-X-MAP:URI="${name}"${attributes ? `,${attributes}` : ''}`;
}
