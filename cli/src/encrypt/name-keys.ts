import type { MediaPlaylist, MediaSegment } from '../hls/media-playlist.ts';
import { playlistError } from '../hls/playlist-error.ts';
import type { KeyName } from './content-key-source.ts';
import type { SourceSlice } from './locate-media.ts';
import type { RenditionPlan } from './plan-rendition.ts';

/** The content key of a segment; undefined if this rule does not know the segment. */
export type NameKey = (segment: MediaSegment, source: SourceSlice | undefined) => KeyName | undefined;

/** The key server knows epochs up to this one (`docs/contract.md#content-keys`). */
const lastEpoch = 4294967295n;

/** By so much the times of I-frames and of segments may differ: playlists round them to milliseconds or worse. */
const roundingSeconds = 0.1;

/**
 * Epochs by number: segment n of the stream is in epoch floor(n / rotateEverySegments). The number counts from
 * EXT-X-MEDIA-SEQUENCE, so a segment keeps its epoch while the window of a live playlist slides.
 *
 * @param rotateEverySegments undefined for one key throughout
 * @throws AppError `VALIDATION_FAILED` for an epoch that the key server does not know
 */
export function nameKeysByNumber(
  { playlist, mediaSequence, segments }: MediaPlaylist,
  contentId: string,
  rotateEverySegments: number | undefined,
): (segment: MediaSegment) => KeyName {
  if (rotateEverySegments === undefined) return () => ({ contentId, epoch: undefined });
  const every = BigInt(rotateEverySegments);
  if ((mediaSequence + BigInt(segments.length - 1)) / every > lastEpoch) {
    const detail =
      `#EXT-X-MEDIA-SEQUENCE:${mediaSequence} with --rotate-every ${rotateEverySegments} gives epochs over ${lastEpoch}, ` +
      'the last that the key server knows; number the segments from a smaller one, or give a larger --rotate-every';
    throw playlistError({ playlist }, detail);
  }
  const epochs = new Map(
    segments.map((segment, index) => [segment, Number((mediaSequence + BigInt(index)) / every)]),
  );
  return (segment) => ({ contentId, epoch: epochs.get(segment) });
}

/**
 * Keys of I-frames by their bytes: an I-frame has the key of the segment that contains it. So fast forward needs no other
 * keys than playing.
 *
 * @param plans of the renditions that are not I-frame playlists
 */
export function nameKeysBySource(plans: readonly RenditionPlan[]): NameKey {
  const segmentsOfFile = new Map<string, { start: number; end: number; key: KeyName }[]>();
  for (const { fileOf, rendition } of plans) {
    for (const segment of rendition.playlist.segments) {
      const { source, encryption } = fileOf.get(segment) ?? {};
      if (!source || !encryption) continue;
      const known = segmentsOfFile.get(source.path) ?? [];
      known.push({ start: source.offset, end: source.offset + source.length, key: encryption.key });
      segmentsOfFile.set(source.path, known);
    }
  }
  for (const known of segmentsOfFile.values()) known.sort((a, b) => a.start - b.start);
  return (_, source) => {
    if (!source) return undefined;
    const known = segmentsOfFile.get(source.path) ?? [];
    // The last segment that begins at the I-frame or before it. A binary search: a film in one file may have thousands.
    const found = known[countUpTo(known, ({ start }) => start <= source.offset) - 1];
    return found && source.offset + source.length <= found.end ? found.key : undefined;
  };
}

/**
 * Epochs of I-frames by their time, if they are in separate files: the epoch of the segment that plays at that time.
 *
 * @param plan of a rendition that is not an I-frame playlist
 */
export function nameKeysByTime(
  iFrames: MediaPlaylist,
  plan: RenditionPlan,
  contentId: string,
): (segment: MediaSegment) => KeyName {
  const starts = startTimes(plan.rendition.playlist);
  const epochs = plan.rendition.playlist.segments.map((segment) => plan.keyOf(segment).epoch);
  const times = new Map(startTimes(iFrames).map((time, index) => [iFrames.segments[index], time]));
  return (segment) => {
    const time = (times.get(segment) ?? 0) + roundingSeconds;
    const index = Math.max(countUpTo(starts, (start) => start <= time) - 1, 0);
    return { contentId, epoch: epochs[index] };
  };
}

/** Seconds from the beginning of the playlist to each segment. */
function startTimes({ segments }: MediaPlaylist): number[] {
  let time = 0;
  return segments.map(({ seconds }) => {
    const start = time;
    time += seconds;
    return start;
  });
}

/** The number of items that match, in a list whose matching items come first. */
function countUpTo<T>(items: readonly T[], matches: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (matches(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
