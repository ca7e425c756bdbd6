import type { SectionCopier } from './copy-section.ts';
import type { LiveTools } from './encrypt-segment.ts';
import type { PlaylistVersion } from './live-source.ts';
import type { LivePlaylist } from './read-live-playlist.ts';
import type { RenditionFolder } from './rendition-folder.ts';
import type { SourceSegment, SourceWindow } from './source-window.ts';

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

/** What players can load of a rendition. */
export interface PublishedRendition {
  /** Text of the playlist. */
  readonly text: string;
  /** Names of the files that it names. */
  readonly files: readonly string[];
  readonly lastEpoch: number | undefined;
}

/** One rendition that is followed. */
export interface Follower {
  readonly options: RenditionOptions;
  readonly tools: LiveTools;
  readonly folder: RenditionFolder;
  readonly playlist: LivePlaylist;
  readonly copySection: SectionCopier;
  /** By number in the source: when a segment was first seen, and how far from the end of the playlist it began. */
  readonly sightings: Map<number, { readonly firstSeen: number; readonly secondsToEnd: number }>;
  window: SourceWindow | undefined;
  /** The numbers alone do not show whether the packager started again while this process, or the source, was not running. */
  verify: boolean;
  /** The server gives its segments another path at each look: only numbers, lengths and bytes count. */
  namesVary: boolean;
  /** A new segment whose bytes were read to know that it is one, so that its address is not asked twice. */
  compared: { readonly segment: SourceSegment; readonly bytes: Buffer } | undefined;
  /** The first and the last number of the playlist that was read last. */
  range: string;
  /** When that was another one, on the monotonic clock. */
  changedAt: number;
  /** When it was last looked up anew. */
  renewedAt: number;
  publishedAt: number;
  isPublished: boolean;
  /** The next segment if it cannot be read, since when, and when it is tried again, on the monotonic clock. */
  missing: { readonly number: number; readonly since: number; readonly retryAt: number } | undefined;
}
