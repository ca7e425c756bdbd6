import type { MediaSegment } from '../hls/media-playlist.ts';
import { renderMultivariantPlaylist } from '../hls/multivariant-playlist.ts';
import { type KeyName, keyPath } from './content-key-source.ts';
import { checkContentId, type EncryptOptions } from './encrypt-options.ts';
import { findClearMaps } from './initialization-section.ts';
import type { Presentation, Rendition } from './load-presentation.ts';
import { locateMedia, type MediaLocations } from './locate-media.ts';
import { nameKeysByNumber, nameKeysBySource, nameKeysByTime } from './name-keys.ts';
import { createIvIssuer, planRendition, type RenditionPlan } from './plan-rendition.ts';
import { keyUrl, renderMediaPlaylist } from './render-media-playlist.ts';
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

/** @throws AppError `VALIDATION_FAILED` if a file of the presentation is missing or an id is not valid */
export async function planPresentation(
  presentation: Presentation,
  options: EncryptOptions,
): Promise<PresentationPlan> {
  const issueIv = createIvIssuer(options.randomBytes);
  const rootName = rootPlaylistName(presentation.path);
  const warnings: string[] = [];
  const plans: RenditionPlan[] = [];
  const fullPlans: RenditionPlan[] = [];
  // I-frame playlists last: each I-frame has the key of the segment that it comes from.
  const ordered = presentation.renditions.toSorted((a, b) => rankOf(a) - rankOf(b));
  for (const rendition of ordered) {
    const locations = await locateMedia(rendition, presentation.sourceRoot);
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
  /** Plans so far of renditions that are not I-frame playlists. */
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
  // Made when needed, so that an unused id is not checked.
  let byTime: ((segment: MediaSegment) => KeyName) | undefined;
  return (segment) => {
    const found = bySource(segment, locations.get(segment));
    if (found) return found;
    byTime ??= nameKeysByTime(playlist, videoPlanOf(presentation, fullPlans) ?? first, contentId());
    return byTime(segment);
  };
}

/** The first rendition that EXT-X-STREAM-INF names. Those of EXT-X-MEDIA may be sound or subtitles. */
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
