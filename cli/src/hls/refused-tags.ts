import { findAttribute } from '@latchkey/shared/hls';
import { showUrl } from '../show-url.ts';
import { type PlaylistText, playlistError, readAttributes } from './playlist-lines.ts';

const refusals: Record<string, string> = {
  'EXT-X-SESSION-KEY': 'the presentation is encrypted already; give the clear one',
  'EXT-X-DEFINE': 'variables are not resolved here; write the playlist without EXT-X-DEFINE',
  'EXT-X-SKIP': 'this is a delta update, which lacks segments; give the whole playlist',
};

/**
 * Low-latency HLS (draft-pantos-hls-rfc8216bis section 4.4). Its parts are pieces of segments and would need to be encrypted
 * separately, and a folder of files cannot block a reload. Players fall back to whole segments.
 */
export const lowLatencyTags: ReadonlySet<string> = new Set([
  'EXT-X-PART',
  'EXT-X-PART-INF',
  'EXT-X-PRELOAD-HINT',
  'EXT-X-RENDITION-REPORT',
  'EXT-X-SERVER-CONTROL',
]);

/** Tags whose `URI` is handled here. Any other tag with a `URI` gets a warning. */
const tagsWithHandledUri = new Set([
  'EXT-X-MAP',
  'EXT-X-KEY',
  'EXT-X-MEDIA',
  'EXT-X-I-FRAME-STREAM-INF',
  ...lowLatencyTags,
]);

/**
 * Refuses tags that cannot be encrypted, and collects warnings.
 *
 * @returns warnings, each one sentence
 * @throws AppError `VALIDATION_FAILED` for input that is encrypted already or not complete
 */
export function inspectTags({ playlist, lines }: PlaylistText): string[] {
  const warnings = new Set<string>();
  const shown = showUrl(playlist);
  for (const line of lines) {
    const refusal = refusals[line.tag];
    if (refusal) throw playlistError(line.place, `#${line.tag}: ${refusal}`);
    if (line.tag === 'EXT-X-KEY') {
      const method = findAttribute(readAttributes(line), 'METHOD');
      if (method !== 'NONE') {
        const detail = `#EXT-X-KEY with METHOD=${method}: the presentation is encrypted already; give the clear one`;
        throw playlistError(line.place, detail);
      }
    }
    if (lowLatencyTags.has(line.tag)) {
      warnings.add(`${shown}: low-latency tags are left out; players use the whole segments`);
    } else if (line.value.includes('URI="') && !tagsWithHandledUri.has(line.tag)) {
      warnings.add(
        `${shown}: #${line.tag} is kept as it is; the file it names is neither copied nor encrypted`,
      );
    }
  }
  return [...warnings];
}
