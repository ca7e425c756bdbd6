import type { MediaSegment } from '../hls/media-playlist.ts';
import { type KeyName, keyPath } from './content-key-source.ts';
import { checkContentId, type EncryptOptions } from './encrypt-options.ts';
import { findClearMaps } from './find-clear-maps.ts';
import { createIvIssuer } from './issue-iv.ts';
import type { Presentation, Rendition } from './load-presentation.ts';
import { locateMedia, type MediaLocations } from './locate-media.ts';
import { nameKeysByNumber, nameKeysBySource, nameKeysByTime } from './name-keys.ts';
import { planRendition, type RenditionPlan } from './plan-rendition.ts';
import { keyUrl, renderMediaPlaylist } from './render-media-playlist.ts';
import { renderMultivariantPlaylist } from './render-multivariant-playlist.ts';
import { rootPlaylistName } from './target-names.ts';

/** Everything that will be written, before a single byte is. */
export interface PresentationPlan {
  readonly renditions: readonly { readonly folder: string; readonly plan: RenditionPlan }[];
  /** Paths relative to the output folder; the first is the one to give to players. */
  readonly playlists: readonly { readonly path: string; readonly text: string }[];
  /** Each key once, in the order of its first use. */
  readonly keys: readonly KeyName[];
  /** One sentence each. */
  readonly warnings: readonly string[];
}

/** The playlist of each rendition, in the folder of its own that it has below a multivariant playlist. */
const mediaPlaylistName = 'index.m3u8';

/** @throws AppError `VALIDATION_FAILED` where a file of the presentation is missing or an id cannot be made */
export async function planPresentation(
  presentation: Presentation,
  playlistPath: string,
  sourceRoot: string,
  options: EncryptOptions,
): Promise<PresentationPlan> {
  const issueIv = createIvIssuer(options.randomOctets);
  const rootName = rootPlaylistName(playlistPath);
  const warnings: string[] = [];
  const plans: RenditionPlan[] = [];
  const fullPlans: RenditionPlan[] = [];
  // I-frame playlists last: their keys are those of the segments that the I-frames come from.
  const ordered = presentation.renditions.toSorted((a, b) => rankOf(a) - rankOf(b));
  for (const rendition of ordered) {
    const locations = await locateMedia(rendition, sourceRoot);
    const { clearMaps, warnings: mapWarnings } = await findClearMaps(rendition, locations);
    warnings.push(...mapWarnings);
    const keyOf = chooseKeys(rendition, locations, { presentation, fullPlans, options });
    const plan = planRendition(rendition, locations, { keyOf, clearMaps, issueIv });
    plans.push(plan);
    if (!rendition.playlist.iFramesOnly) fullPlans.push(plan);
  }
  const renditions = plans.map((plan) => {
    return { folder: presentation.multivariant ? plan.rendition.name : '', plan };
  });
  const playlists = renditions.map(({ folder, plan }) => ({
    path: folder ? `${folder}/${mediaPlaylistName}` : rootName,
    text: renderMediaPlaylist(plan, options.keyUrlBase),
  }));
  if (presentation.multivariant) {
    const targetOfUri = (uri: string) => `${presentation.renditionOfUri.get(uri)?.name}/${mediaPlaylistName}`;
    const firstKeys = uniqueKeys(fullPlans.flatMap((plan) => keysOf(plan).slice(0, 1)));
    const sessionKeyUrls = firstKeys.map((key) => keyUrl(key, options.keyUrlBase));
    const text = renderMultivariantPlaylist(presentation.multivariant, targetOfUri, sessionKeyUrls);
    playlists.unshift({ path: rootName, text });
  }
  return { renditions, playlists, keys: uniqueKeys(plans.flatMap(keysOf)), warnings };
}

const rankOf = ({ playlist }: Rendition): number => (playlist.iFramesOnly ? 1 : 0);

interface Surroundings {
  readonly presentation: Presentation;
  /** Those of the renditions that are no I-frame playlists, where there are any yet. */
  readonly fullPlans: readonly RenditionPlan[];
  readonly options: EncryptOptions;
}

function chooseKeys(
  rendition: Rendition,
  locations: MediaLocations,
  { presentation, fullPlans, options }: Surroundings,
): (segment: MediaSegment) => KeyName {
  const { playlist } = rendition;
  const contentId = () => contentIdOf(rendition, presentation, options);
  const [first] = fullPlans;
  if (!playlist.iFramesOnly || !first) {
    return nameKeysByNumber(playlist, contentId(), options.rotateEverySegments);
  }
  const bySource = nameKeysBySource(fullPlans);
  // Only where it is needed: an id that is not used is not checked either.
  let byTime: ((segment: MediaSegment) => KeyName) | undefined;
  return (segment) => {
    const found = bySource(segment, locations.get(segment));
    if (found) return found;
    byTime ??= nameKeysByTime(playlist, videoPlanOf(presentation, fullPlans) ?? first, contentId());
    return byTime(segment);
  };
}

/** The first rendition that EXT-X-STREAM-INF names: what EXT-X-MEDIA names may be sound or subtitles. */
function videoPlanOf(
  { multivariant, renditionOfUri }: Presentation,
  plans: readonly RenditionPlan[],
): RenditionPlan | undefined {
  const line = multivariant?.lines.find((candidate) => 'variantUri' in candidate);
  const video = line && 'variantUri' in line ? renditionOfUri.get(line.variantUri) : undefined;
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

function uniqueKeys(keys: readonly KeyName[]): KeyName[] {
  return [...new Map(keys.map((key) => [keyPath(key), key])).values()];
}
