import { withoutQuery } from '../hls/resolve-reference.ts';
import { showUrl } from '../show-url.ts';
import { SourceUnavailable } from '../source/request-source.ts';
import { createSectionCopier } from './copy-section.ts';
import { identityOf, type LiveTools, type Sighting } from './encrypt-segment.ts';
import type { PlaylistVersion } from './live-source.ts';
import {
  type LiveEntry,
  type RenditionFolder,
  type RenditionState,
  segmentOf,
  skipTo,
  startRun,
} from './rendition-state.ts';
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

/**
 * Brings the state of a rendition to a playlist that was just read.
 *
 * @returns false if the playlist is older than what was taken already, and is ignored
 */
export async function alignFollower(follower: Follower, read: SourceWindow): Promise<boolean> {
  const { options, tools, folder, verify } = follower;
  const { state } = folder;
  const { name } = options;
  const alignment = alignWindow(follower, read);
  let isRestarted = alignment.kind === 'restarted';
  follower.compared = undefined;
  if (alignment.kind === 'unclear') {
    const { entry, segment, looksSame } = alignment;
    const bytes = !verify && isUnchanged(follower, read) ? undefined : await readCommon(follower, alignment);
    if (bytes === undefined || identityOf(bytes) === entry.identity) {
      if (!verify && !looksSame) follower.namesVary = true;
      if (read.lastNumber < (state.lastSource ?? 0)) return false;
      takeOverNames(state, read);
    } else {
      follower.compared = { segment, bytes };
      isRestarted = true;
    }
  }
  follower.verify = false;
  if (isRestarted) {
    tools.warn(`${name}: the packager has started again; its segments follow after a discontinuity`);
    startRun(state, read);
    follower.sightings.clear();
    follower.missing = undefined;
  }
  if (alignment.kind === 'skips') {
    if (state.lastSource !== null)
      tools.warn(
        `${name}: ${read.firstNumber - state.lastSource - 1} segment(s) left the source's playlist before they were read; players skip them`,
      );
    skipTo(state, read, tools.clock.now());
  }
  return true;
}

/** Whether a playlist differs from the last one in nothing but queries: a server that signs URLs gives others at each look. */
function isUnchanged({ window: last, namesVary }: Follower, read: SourceWindow): boolean {
  const textOf = (window: SourceWindow) =>
    JSON.stringify(window, (name, value) => {
      // Attributes are of EXT-X-MAP, and have its URI once more.
      if (name === 'attributes' || name === 'playlist') return undefined;
      if (name !== 'uri') return value;
      return namesVary ? undefined : withoutQuery(value);
    });
  return last !== undefined && textOf(last) === textOf(read);
}

/**
 * The bytes that decide whether a segment was taken before. A file with the name of before that was removed meanwhile belongs to an old
 * copy of the playlist, so it counts as the same.
 *
 * @returns undefined for a file that counts as the same
 * @throws SourceUnavailable or AppError if a file with another name cannot be read
 */
async function readCommon(
  { tools }: Follower,
  { segment, looksSame }: CommonSegment,
): Promise<Buffer | undefined> {
  try {
    const location = await tools.source.resolve(segment);
    return await tools.source.read(location, segment.byteRange);
  } catch (error) {
    // The session has ended: that tells nothing of the bytes.
    const isDenied = error instanceof SourceUnavailable && (error.status === 401 || error.status === 403);
    if (looksSame && !isDenied) return undefined;
    throw error;
  }
}

/** Stores the present names and lengths: the next playlist is compared with them. */
function takeOverNames({ entries }: RenditionState, read: SourceWindow): void {
  for (const entry of entries) {
    const segment = segmentOf(entry, read);
    if (!segment) continue;
    entry.uri = showUrl(segment.uri);
    entry.seconds = segment.seconds;
  }
}

/**
 * How a playlist that was read now goes with the segments that were taken before.
 *
 * - `continues`: it goes on after them, or has nothing new.
 * - `skips`: nothing was taken before, or segments between have left it already.
 * - `restarted`: the packager has started its numbering again.
 * - `unclear`: the bytes of `segment` decide. Either it has nothing new, and what it has looks like what was taken: a cache gave an older
 *   copy, or a packager that started again writes the same names. Or a number has another file name or length: a packager has started
 *   again, or a server has renewed the session in its URLs.
 */
type Alignment =
  | { readonly kind: 'continues' | 'skips' | 'restarted' }
  | ({ readonly kind: 'unclear' } & CommonSegment);

/** A segment that was taken, as the playlist names it now. */
interface CommonSegment {
  readonly entry: LiveEntry;
  readonly segment: SourceSegment;
  readonly looksSame: boolean;
}

function alignWindow({ folder, verify, namesVary }: Follower, read: SourceWindow): Alignment {
  const { entries, lastSource } = folder.state;
  const { firstNumber, lastNumber } = read;
  if (lastSource === null) return { kind: 'skips' };
  // The last one, which stays the longest; one that looks different before any other.
  let common: CommonSegment | undefined;
  for (const entry of entries) {
    const segment = segmentOf(entry, read);
    // A gap has no bytes to compare.
    if (!segment || !entry.encryption || segment.gap) continue;
    const looksSame = entry.seconds === segment.seconds && (namesVary || isNamed(entry, segment));
    if (!looksSame || common?.looksSame !== false) common = { entry, segment, looksSame };
  }
  if (common && (verify || !common.looksSame || lastNumber <= lastSource))
    return { kind: 'unclear', ...common };
  if (lastNumber < lastSource && !common) return { kind: 'restarted' };
  return { kind: firstNumber > lastSource + 1 ? 'skips' : 'continues' };
}

/** Without the query, which may be signed anew at each look. A byte range of the same file counts as the same name. */
function isNamed({ uri }: LiveEntry, segment: SourceSegment): boolean {
  return withoutQuery(uri) === withoutQuery(showUrl(segment.uri));
}
