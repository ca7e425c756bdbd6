import { createSectionCopier } from './copy-section.ts';
import type { LiveTools, Sighting } from './encrypt-segment.ts';
import type { PlaylistVersion } from './live-source.ts';
import type { RenditionFolder } from './rendition-state.ts';
import { openLivePlaylist, type SourceSegment, type SourceWindow } from './source-window.ts';

export interface RenditionOptions {
  /** For messages. */
  readonly name: string;
  /** Of the source's playlist at the start. */
  readonly location: string;
  /** That playlist, if it was just read. */
  readonly file?: PlaylistVersion | undefined;
  readonly folder: string;
  readonly playlistName: string;
  /** After each publication. */
  readonly onPublish: (rendition: PublishedRendition) => Promise<void>;
}

/** The part of a rendition that players can load. */
export interface PublishedRendition {
  /** Text of the playlist. */
  readonly text: string;
  /** Names of the files that it names. */
  readonly files: readonly string[];
  readonly lastEpoch: number | undefined;
}

/** One rendition that is followed. */
export type Follower = ReturnType<typeof createFollower>;

export function createFollower(options: RenditionOptions, tools: LiveTools, folder: RenditionFolder) {
  return {
    ...{ options, tools, folder },
    copySection: createSectionCopier(options.folder, tools),
    playlist: openLivePlaylist(options, tools.source, tools.warn),
    /** By number in the source: when a segment was first seen, and how far from the end of the playlist it began. */
    sightings: new Map<number, Sighting>(),
    window: undefined as SourceWindow | undefined,
    /** The numbers alone do not show whether the packager started again while this process, or the source, was not running. */
    verify: true,
    /** The server gives its segments another path at each look: only numbers, lengths and bytes count. */
    namesVary: false,
    /** A new segment whose bytes were read to know that it is one, so that its address is not asked twice. */
    compared: undefined as { readonly segment: SourceSegment; readonly bytes: Buffer } | undefined,
    /** The first and the last number of the playlist that was read last. */
    range: '',
    /** When that was another one, on the monotonic clock. */
    changedAt: tools.clock.monotonic(),
    /** When it was last looked up anew. */
    renewedAt: Number.NEGATIVE_INFINITY,
    publishedAt: Number.NEGATIVE_INFINITY,
    /** The text of the playlist that was published last. */
    text: undefined as string | undefined,
    /** False once it may differ from the state. */
    isPublished: false,
    /** The next segment if it cannot be read, since when, and when it is tried again, on the monotonic clock. */
    missing: undefined as
      | { readonly number: number; readonly since: number; readonly retryAt: number }
      | undefined,
  };
}
