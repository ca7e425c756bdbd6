import { type KeyName, keyPath } from './content-key-source.ts';
import { checkContentId, type EncryptOptions } from './encrypt-options.ts';
import { createIvIssuer } from './issue-iv.ts';
import type { Presentation, Rendition } from './load-presentation.ts';
import { locateMedia } from './locate-media.ts';
import { planRendition, type RenditionPlan } from './plan-rendition.ts';
import { keyUrl, renderMediaPlaylist } from './render-media-playlist.ts';
import { renderMultivariantPlaylist } from './render-multivariant-playlist.ts';
import { rootPlaylistName } from './target-names.ts';

/** Everything that will be written, before a single octet is. */
export interface PresentationPlan {
  readonly renditions: readonly { readonly folder: string; readonly plan: RenditionPlan }[];
  /** Paths relative to the output folder; the first is the one to give to players. */
  readonly playlists: readonly { readonly path: string; readonly text: string }[];
  /** Each key once, in the order of its first use. */
  readonly keys: readonly KeyName[];
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
  const renditions = [];
  for (const rendition of presentation.renditions) {
    const contentId = contentIdOf(rendition, presentation, options);
    const locations = await locateMedia(rendition, sourceRoot);
    const { rotateEverySegments } = options;
    const plan = planRendition(rendition, locations, { contentId, rotateEverySegments, issueIv });
    renditions.push({ folder: presentation.multivariant ? rendition.name : '', plan });
  }
  const playlists = renditions.map(({ folder, plan }) => ({
    path: folder ? `${folder}/${mediaPlaylistName}` : rootName,
    text: renderMediaPlaylist(plan, options.keyUrlBase),
  }));
  if (presentation.multivariant) {
    const targetOfUri = (uri: string) => `${presentation.renditionOfUri.get(uri)?.name}/${mediaPlaylistName}`;
    const firstKeys = uniqueKeys(renditions.flatMap(({ plan }) => plan.files.slice(0, 1)));
    const sessionKeyUrls = firstKeys.map((key) => keyUrl(key, options.keyUrlBase));
    const text = renderMultivariantPlaylist(presentation.multivariant, targetOfUri, sessionKeyUrls);
    playlists.unshift({ path: rootName, text });
  }
  return { renditions, playlists, keys: uniqueKeys(renditions.flatMap(({ plan }) => plan.files)) };
}

function contentIdOf({ name }: Rendition, { multivariant }: Presentation, options: EncryptOptions): string {
  if (!options.perRenditionIds || !multivariant) return options.contentId;
  const contentId = `${options.contentId}-${name}`;
  checkContentId(contentId);
  return contentId;
}

function uniqueKeys(files: readonly { readonly key: KeyName }[]): KeyName[] {
  return [...new Map(files.map(({ key }) => [keyPath(key), key])).values()];
}
