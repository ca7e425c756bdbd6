import type { UploadCacheControl } from '@latchkey/uploader/node';

/** The options of `--upload` that CDNs and players see. */
export interface CacheControlOptions {
  readonly cacheControlSegments?: string;
  readonly cacheControlPlaylists?: string;
}

/** A year: the longest time that is in use. */
const ofSegments = 'public, max-age=31536000, immutable';
/** After an encryption that replaces another one, viewers get the new playlist within this time. */
const ofFinishedPlaylists = 'public, max-age=60';
/** A cache asks the bucket at each use: a live playlist that is kept for one segment stops playback. */
const ofLivePlaylists = 'no-cache';

/** `Cache-Control` of the files of an upload. */
export function chooseCacheControl(
  { cacheControlSegments, cacheControlPlaylists }: CacheControlOptions,
  isLive: boolean,
): Required<UploadCacheControl> {
  return {
    segments: cacheControlSegments ?? ofSegments,
    playlists: cacheControlPlaylists ?? (isLive ? ofLivePlaylists : ofFinishedPlaylists),
  };
}

/** Viewers get over old segments within a minute, as over an old playlist. */
const shortSeconds = 60;

/** @returns a warning for file names that stay when their bytes change, if caches keep the files for long */
export function warnOfPlainNames(
  plainNames: boolean,
  { segments = '' }: UploadCacheControl,
): string | undefined {
  const seconds = Number(/max-age=(\d+)/.exec(segments)?.[1] ?? 0);
  if (!plainNames || seconds <= shortSeconds) return undefined;
  return (
    '--plain-names with segments that caches keep: encrypted again, this content plays only once they have dropped the old ' +
    'segments. Leave --plain-names out, or give --cache-control-segments "public, max-age=60"'
  );
}
