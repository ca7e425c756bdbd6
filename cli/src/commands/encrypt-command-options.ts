import type { CommandContext } from '../command-context.ts';
import type { ServerOptions } from './server-options.ts';

/** Protection schemes of Common Encryption (ISO/IEC 23001-7) that players know: AES-CTR, and AES-CBC with a pattern. */
export const schemes = ['cenc', 'cbcs'] as const;

/** The options of `latchkey encrypt`. */
export interface EncryptCommandOptions extends ServerOptions {
  readonly contentId: string;
  readonly out: string;
  readonly keyUrl?: string;
  readonly rotateEvery?: number;
  readonly perRenditionIds?: true;
  readonly sourceRoot?: string;
  readonly force?: true;
  readonly quiet?: true;
  /** The presentation goes to the bucket of the server. Content can then be registered there wherever keys come from. */
  readonly upload?: true;
  readonly cacheControlSegments?: string;
  readonly cacheControlPlaylists?: string;
  readonly plainNames?: true;
  readonly live?: true;
  readonly period?: number;
  readonly sourceHeader?: readonly string[];
  readonly scheme?: (typeof schemes)[number];
  readonly packager?: string;
  readonly keysFrom?: 'server' | 'env';
  readonly register?: true;
  /** False for `--no-key-periods`. */
  readonly keyPeriods?: boolean;
  readonly name?: string;
  readonly playlistUrl?: string;
  readonly envFile?: string;
  readonly keyVersion?: number;
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
  {
    cacheControlSegments: segments = ofSegments,
    cacheControlPlaylists,
    plainNames,
    live,
  }: EncryptCommandOptions,
  { warn }: CommandContext,
) {
  if (plainNames && Number(/max-age=(\d+)/.exec(segments)?.[1] ?? 0) > shortSeconds)
    warn(
      '--plain-names with segments that caches keep: encrypted again, this content plays only once they have dropped the old ' +
        'segments. Leave --plain-names out, or give --cache-control-segments "public, max-age=60"',
    );
  const playlists = cacheControlPlaylists ?? (live ? ofLivePlaylists : ofFinishedPlaylists);
  return { segments, playlists };
}
