import type { UploadCacheControl } from '@latchkey/uploader/node';

/** The options of `--upload` that CDNs and players see. */
export interface CacheControlOptions {
  readonly cacheControlSegments?: string;
  readonly cacheControlPlaylists?: string;
  readonly plainNames?: true;
}

/** A year: the longest time that is in use. */
const ofSegments = 'public, max-age=31536000, immutable';
/** After an encryption that replaces another one, viewers get the new playlist within this time. */
const ofFinishedPlaylists = 'public, max-age=60';
/** A cache asks the bucket at each use: a live playlist that is kept for one segment stops playback. */
const ofLivePlaylists = 'no-cache';

/** Viewers get over old segments within a minute, as over an old playlist. */
const shortSeconds = 60;

/** `Cache-Control` of the files of an upload. It warns of file names that stay when their bytes change, if caches keep the files for long. */
export function chooseCacheControl(
  { cacheControlSegments: segments = ofSegments, cacheControlPlaylists, plainNames }: CacheControlOptions,
  isLive: boolean,
  warn: (text: string) => void,
): Required<UploadCacheControl> {
  if (plainNames && Number(/max-age=(\d+)/.exec(segments)?.[1] ?? 0) > shortSeconds)
    warn(
      '--plain-names with segments that caches keep: encrypted again, this content plays only once they have dropped the old ' +
        'segments. Leave --plain-names out, or give --cache-control-segments "public, max-age=60"',
    );
  return {
    segments,
    playlists: cacheControlPlaylists ?? (isLive ? ofLivePlaylists : ofFinishedPlaylists),
  };
}
