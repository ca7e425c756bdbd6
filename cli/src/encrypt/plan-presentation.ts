import { maxEpoch } from '@latchkey/shared/contracts';
import { checkContentId } from '../check-options.ts';
import type { MediaPlaylist } from '../hls/media-playlist.ts';
import { renderMultivariantPlaylist, variantTag } from '../hls/multivariant-playlist.ts';
import { playlistError } from '../hls/playlist-lines.ts';
import type { FileRange } from '../read-range.ts';
import { type KeyName, keyPath, type WrittenContent } from './content-key-source.ts';
import type { EncryptOptions } from './encrypt-options.ts';
import { createVectorIssuer } from './issue-vectors.ts';
import type { Presentation, Rendition } from './load-presentation.ts';
import { planRendition, type RenditionPlan, type RenditionPlanOptions } from './plan-rendition.ts';
import { keyUrl, renderMediaPlaylist } from './render-media-playlist.ts';
import { mediaPlaylistName, rootPlaylistName } from './target-names.ts';
import { findLeast, findWrittenEpochs } from './written-epochs.ts';

/** Everything that will be written, before a single byte is. */
export type PresentationPlan = Awaited<ReturnType<typeof planPresentation>>;

/** @throws AppError `VALIDATION_FAILED` if a file of the presentation is missing or an id is not valid */
export async function planPresentation(presentation: Presentation, options: EncryptOptions) {
  const { sourceRoot } = presentation;
  const vectors = createVectorIssuer(options.randomBytes);
  // One set for all epochs: none is forgotten.
  const issueIv = () => Buffer.from(vectors.issue(0), 'hex');
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  const plans: RenditionPlan[] = [];
  // I-frame playlists last: each I-frame has the key of the segment that it comes from.
  const rankOf = ({ playlist }: Rendition) => Number(playlist.iFramesOnly);
  const ordered = presentation.renditions.toSorted((a, b) => rankOf(a) - rankOf(b));
  for (const rendition of ordered) {
    const keyOf = chooseKeys(rendition, presentation, plans.filter(isFull), options);
    plans.push(await planRendition(rendition, { sourceRoot, keyOf, issueIv, warn }));
  }
  const keys = uniqueKeys(plans.flatMap(keysOf));
  return {
    /** I-frame playlists last. */
    renditions: plans,
    /** Each key once, in the order of its first use. */
    keys,
    /** Each content of these keys once, in the same order. */
    contents: contentsOf(keys, plans),
    /** One sentence each. */
    warnings,
  };
}

/**
 * The playlists of the output, by their paths there; the first is the one to give to players. Their media is written already: the names of its
 * files are known then.
 */
export function renderPlaylists(
  { path, multivariant, renditionOfUri }: Presentation,
  plans: readonly RenditionPlan[],
  keyUrlBase: string,
): { path: string; text: string }[] {
  const rootName = rootPlaylistName(path);
  const pathOf = ({ folder }: Rendition) => (folder ? `${folder}/${mediaPlaylistName}` : rootName);
  const media = plans.map((plan) => {
    return { path: pathOf(plan.rendition), text: renderMediaPlaylist(plan, keyUrlBase) };
  });
  if (!multivariant) return media;
  const targetOfUri = (uri: string) => pathOf(renditionOfUri.get(uri) as Rendition);
  const firstKeys = uniqueKeys(plans.filter(isFull).flatMap((plan) => keysOf(plan).slice(0, 1)));
  const sessionKeyUrls = firstKeys.map((key) => keyUrl(key, keyUrlBase));
  return [
    { path: rootName, text: renderMultivariantPlaylist(multivariant, targetOfUri, sessionKeyUrls) },
    ...media,
  ];
}

const isFull = ({ rendition }: RenditionPlan): boolean => !rendition.playlist.iFramesOnly;

/** @param fullPlans of the renditions so far that are not I-frame playlists */
function chooseKeys(
  rendition: Rendition,
  presentation: Presentation,
  fullPlans: readonly RenditionPlan[],
  options: EncryptOptions,
): RenditionPlanOptions['keyOf'] {
  const { playlist } = rendition;
  const contentId = () => contentIdOf(rendition, options);
  const [first] = fullPlans;
  if (!playlist.iFramesOnly || !first) {
    return nameKeysByNumber(playlist, contentId(), options.rotateEverySegments);
  }
  const bySource = nameKeysBySource(fullPlans);
  // Made when needed, so that an unused id is not checked.
  let byTime: ((index: number) => KeyName) | undefined;
  return (index, source) => {
    const found = source && bySource(source);
    if (found) return found;
    byTime ??= nameKeysByTime(playlist, videoPlanOf(presentation, fullPlans) ?? first, contentId());
    return byTime(index);
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

function contentIdOf({ folder }: Rendition, { contentId: given, perRenditionIds }: EncryptOptions): string {
  if (!perRenditionIds || !folder) return given;
  const contentId = `${given}-${folder}`;
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
): (index: number) => KeyName {
  if (rotateEverySegments === undefined) return () => ({ contentId, epoch: undefined });
  const every = BigInt(rotateEverySegments);
  if ((mediaSequence + BigInt(segments.length - 1)) / every > BigInt(maxEpoch)) {
    const detail =
      `#EXT-X-MEDIA-SEQUENCE:${mediaSequence} with --rotate-every ${rotateEverySegments} gives epochs over ${maxEpoch}, ` +
      'the last that the key server knows; number the segments from a smaller one, or give a larger --rotate-every';
    throw playlistError({ playlist }, detail);
  }
  return (index) => ({ contentId, epoch: Number((mediaSequence + BigInt(index)) / every) });
}

/**
 * Keys of I-frames by their bytes: an I-frame has the key of the segment that contains it. So fast forward needs no other
 * keys than playing.
 *
 * @param plans of the renditions that are not I-frame playlists
 * @returns undefined for bytes that no segment contains
 */
function nameKeysBySource(plans: readonly RenditionPlan[]): (source: FileRange) => KeyName | undefined {
  const segments = plans.flatMap((plan) => plan.segments);
  const ranges = segments.flatMap(({ file, key }) => (file ? [{ ...file.source, key }] : []));
  ranges.sort((a, b) => a.offset - b.offset);
  const rangesOfFile = Map.groupBy(ranges, ({ path }) => path);
  return ({ path, offset, length }) => {
    const known = rangesOfFile.get(path) ?? [];
    // The last segment that begins at the I-frame or before it. A binary search: a film in one file may have thousands.
    const next = findLeast(0, known.length, (index) => (known[index]?.offset ?? 0) > offset);
    const found = known[next - 1];
    return found && offset + length <= found.offset + found.length ? found.key : undefined;
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
): (index: number) => KeyName {
  const starts = startTimes(plan.segments);
  const times = startTimes(iFrames.segments);
  return (index) => {
    const time = (times[index] ?? 0) + roundingSeconds;
    const next = findLeast(0, starts.length, (segment) => (starts[segment] ?? 0) > time);
    return { contentId, epoch: plan.segments[Math.max(next - 1, 0)]?.key.epoch };
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
