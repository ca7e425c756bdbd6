import { maxEpoch } from '@latchkey/shared/contracts';
import { checkContentId } from '../check-options.ts';
import type { MediaPlaylist, MediaSegment } from '../hls/media-playlist.ts';
import { renderMultivariantPlaylist, variantTag } from '../hls/multivariant-playlist.ts';
import { playlistError } from '../hls/playlist-lines.ts';
import type { FileRange } from '../read-range.ts';
import { type KeyName, keyPath, type WrittenContent } from './content-key-source.ts';
import type { EncryptOptions } from './encrypt-options.ts';
import { createVectorIssuer } from './issue-vectors.ts';
import type { Presentation, Rendition } from './load-presentation.ts';
import { type NameOf, planRendition, type RenditionPlan } from './plan-rendition.ts';
import { keyUrl, renderMediaPlaylist } from './render-media-playlist.ts';
import { mediaPlaylistName, rootPlaylistName } from './target-names.ts';
import { findWrittenEpochs } from './written-epochs.ts';

/** A playlist, whose text is made once its media is written: the names of files are known then. */
interface PlannedPlaylist {
  readonly path: string;
  readonly render: (nameOf: NameOf) => string;
}

/** Everything that will be written, before a single byte is. */
export interface PresentationPlan {
  readonly renditions: readonly { readonly folder: string; readonly plan: RenditionPlan }[];
  /** Paths relative to the output folder; the first is the one to give to players. */
  readonly playlists: readonly PlannedPlaylist[];
  /** Each key once, in the order of its first use. */
  readonly keys: readonly KeyName[];
  /** Each content of these keys once, in the same order. */
  readonly contents: readonly WrittenContent[];
  /** One sentence each. */
  readonly warnings: readonly string[];
}

/** @throws AppError `VALIDATION_FAILED` if a file of the presentation is missing or an id is not valid */
export async function planPresentation(
  presentation: Presentation,
  options: EncryptOptions,
): Promise<PresentationPlan> {
  const vectors = createVectorIssuer(options.randomBytes);
  // One set for all epochs: none is forgotten.
  const issueIv = () => Buffer.from(vectors.issue(0), 'hex');
  const rootName = rootPlaylistName(presentation.path);
  const warnings: string[] = [];
  const plans: RenditionPlan[] = [];
  const fullPlans: RenditionPlan[] = [];
  // I-frame playlists last: each I-frame has the key of the segment that it comes from.
  const ordered = presentation.renditions.toSorted((a, b) => rankOf(a) - rankOf(b));
  for (const rendition of ordered) {
    const keyOf = chooseKeys(rendition, { presentation, fullPlans, options });
    const { sourceRoot } = presentation;
    const warn = (text: string) => void warnings.push(text);
    const plan = await planRendition(rendition, { sourceRoot, keyOf, issueIv, warn });
    plans.push(plan);
    if (!rendition.playlist.iFramesOnly) fullPlans.push(plan);
  }
  const renditions = plans.map((plan) => {
    return { folder: presentation.multivariant ? plan.rendition.name : '', plan };
  });
  const playlists = renditions.map(({ folder, plan }): PlannedPlaylist => {
    const path = folder ? `${folder}/${mediaPlaylistName}` : rootName;
    return { path, render: (nameOf) => renderMediaPlaylist(plan, options.keyUrlBase, nameOf) };
  });
  if (presentation.multivariant) {
    const targetOfUri = (uri: string) => `${presentation.renditionOfUri.get(uri)?.name}/${mediaPlaylistName}`;
    const firstKeys = uniqueKeys(fullPlans.flatMap((plan) => keysOf(plan).slice(0, 1)));
    const sessionKeyUrls = firstKeys.map((key) => keyUrl(key, options.keyUrlBase));
    const text = renderMultivariantPlaylist(presentation.multivariant, targetOfUri, sessionKeyUrls);
    playlists.unshift({ path: rootName, render: () => text });
  }
  const keys = uniqueKeys(plans.flatMap(keysOf));
  return { renditions, playlists, keys, contents: contentsOf(keys, plans), warnings };
}

const rankOf = ({ playlist }: Rendition): number => (playlist.iFramesOnly ? 1 : 0);

interface Surroundings {
  readonly presentation: Presentation;
  /** Plans so far of renditions that are not I-frame playlists. */
  readonly fullPlans: readonly RenditionPlan[];
  readonly options: EncryptOptions;
}

function chooseKeys(
  rendition: Rendition,
  { presentation, fullPlans, options }: Surroundings,
): (segment: MediaSegment, source: FileRange | undefined) => KeyName {
  const { playlist } = rendition;
  const contentId = () => contentIdOf(rendition, presentation, options);
  const [first] = fullPlans;
  if (!playlist.iFramesOnly || !first) {
    return nameKeysByNumber(playlist, contentId(), options.rotateEverySegments);
  }
  const bySource = nameKeysBySource(fullPlans);
  // Made when needed, so that an unused id is not checked.
  let byTime: ((segment: MediaSegment) => KeyName) | undefined;
  return (segment, source) => {
    const found = source && bySource(source);
    if (found) return found;
    byTime ??= nameKeysByTime(playlist, videoPlanOf(presentation, fullPlans) ?? first, contentId());
    return byTime(segment);
  };
}

/** The first rendition that EXT-X-STREAM-INF names. The renditions of EXT-X-MEDIA may be sound or subtitles. */
function videoPlanOf(
  { multivariant, renditionOfUri }: Presentation,
  plans: readonly RenditionPlan[],
): RenditionPlan | undefined {
  const line = multivariant?.named.find(({ tag }) => tag === variantTag);
  const video = line && renditionOfUri.get(line.uri);
  return plans.find(({ rendition }) => rendition === video);
}

function contentIdOf({ name }: Rendition, { multivariant }: Presentation, options: EncryptOptions): string {
  if (!options.perRenditionIds || !multivariant) return options.contentId;
  const contentId = `${options.contentId}-${name}`;
  checkContentId(contentId);
  return contentId;
}

function keysOf({ files }: RenditionPlan): KeyName[] {
  return files.flatMap(({ encryption }) => (encryption ? [encryption.key] : []));
}

function contentsOf(keys: readonly KeyName[], plans: readonly RenditionPlan[]): WrittenContent[] {
  const epochs = findWrittenEpochs(plans);
  return [...new Set(keys.map(({ contentId }) => contentId))].map((contentId) => {
    return { contentId, epochs: epochs.get(contentId) ?? null };
  });
}

function uniqueKeys(keys: readonly KeyName[]): KeyName[] {
  return [...new Map(keys.map((key) => [keyPath(key), key])).values()];
}

/** By so much the times of I-frames and of segments may differ: playlists round them to milliseconds or worse. */
const roundingSeconds = 0.1;

/**
 * Epochs by number: segment n of the stream is in epoch floor(n / rotateEverySegments). The number counts from
 * EXT-X-MEDIA-SEQUENCE, so a segment keeps its epoch while the window of a live playlist slides.
 *
 * @param rotateEverySegments undefined for one key throughout
 * @throws AppError `VALIDATION_FAILED` for an epoch that the key server does not know
 */
function nameKeysByNumber(
  { playlist, mediaSequence, segments }: MediaPlaylist,
  contentId: string,
  rotateEverySegments: number | undefined,
): (segment: MediaSegment) => KeyName {
  if (rotateEverySegments === undefined) return () => ({ contentId, epoch: undefined });
  const every = BigInt(rotateEverySegments);
  if ((mediaSequence + BigInt(segments.length - 1)) / every > BigInt(maxEpoch)) {
    const detail =
      `#EXT-X-MEDIA-SEQUENCE:${mediaSequence} with --rotate-every ${rotateEverySegments} gives epochs over ${maxEpoch}, ` +
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
 * @returns undefined for bytes that no segment contains
 */
function nameKeysBySource(plans: readonly RenditionPlan[]): (source: FileRange) => KeyName | undefined {
  const segmentsOfFile = new Map<string, { start: number; end: number; key: KeyName }[]>();
  for (const { file, key } of plans.flatMap(({ segments }) => segments)) {
    if (!file) continue;
    const { path, offset, length } = file.source;
    const known = segmentsOfFile.get(path) ?? [];
    known.push({ start: offset, end: offset + length, key });
    segmentsOfFile.set(path, known);
  }
  for (const known of segmentsOfFile.values()) known.sort((a, b) => a.start - b.start);
  return ({ path, offset, length }) => {
    const known = segmentsOfFile.get(path) ?? [];
    // The last segment that begins at the I-frame or before it. A binary search: a film in one file may have thousands.
    const found = known[countUpTo(known, ({ start }) => start <= offset) - 1];
    return found && offset + length <= found.end ? found.key : undefined;
  };
}

/**
 * Epochs of I-frames by their time, if they are in separate files: the epoch of the segment that plays at that time.
 *
 * @param plan of a rendition that is not an I-frame playlist
 */
function nameKeysByTime(
  iFrames: MediaPlaylist,
  plan: RenditionPlan,
  contentId: string,
): (segment: MediaSegment) => KeyName {
  const starts = startTimes(plan.segments);
  const times = new Map(startTimes(iFrames.segments).map((time, index) => [iFrames.segments[index], time]));
  return (segment) => {
    const time = (times.get(segment) ?? 0) + roundingSeconds;
    const index = Math.max(countUpTo(starts, (start) => start <= time) - 1, 0);
    return { contentId, epoch: plan.segments[index]?.key.epoch };
  };
}

/** Seconds from the beginning of the playlist to each segment. */
function startTimes(segments: readonly { readonly seconds: number }[]): number[] {
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
