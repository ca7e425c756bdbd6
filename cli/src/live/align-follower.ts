import { withoutQuery } from '../hls/resolve-reference.ts';
import { showUrl } from '../show-url.ts';
import { SourceUnavailable } from '../source/request-source.ts';
import { identityOf } from './encrypt-segment.ts';
import type { Follower } from './follower.ts';
import { type LiveEntry, type RenditionState, skipTo, startFirst, startRun } from './rendition-state.ts';
import type { SourceSegment, SourceWindow } from './source-window.ts';

/**
 * Brings the state of a rendition to a playlist that was just read.
 *
 * @returns false if the playlist is older than what was taken already, and is ignored
 */
export async function alignFollower(follower: Follower, read: SourceWindow): Promise<boolean> {
  const { options, tools, folder, sightings, verify, namesVary } = follower;
  const { state } = folder;
  const { name } = options;
  const [first] = read.segments;
  let alignment = alignWindow(state.entries, state.lastSource, read, { verify, namesVary });
  follower.compared = undefined;
  if (alignment.kind === 'unclear') {
    const { entry, segment } = alignment;
    const bytes = !verify && isUnchanged(follower, read) ? undefined : await readCommon(follower, alignment);
    const isSame = bytes === undefined || identityOf(bytes) === entry.identity;
    if (!isSame) follower.compared = { segment, bytes };
    const isOlder = (read.segments.at(-1)?.number ?? 0) < (state.lastSource ?? 0);
    if (isSame && !verify && !alignment.looksSame) follower.namesVary = true;
    if (isSame && isOlder) return false;
    if (isSame) takeOverNames(state, read);
    alignment = isSame
      ? alignWindow([], state.lastSource, read, { verify: false, namesVary })
      : { kind: 'restarted' };
  }
  follower.verify = false;
  if (alignment.kind === 'first') startFirst(state, read);
  if (alignment.kind === 'restarted') {
    tools.warn(`${name}: the packager has started again; its segments follow after a discontinuity`);
    startRun(state, read);
    sightings.clear();
    follower.missing = undefined;
  }
  if (alignment.kind === 'lost') {
    const count = (first?.number ?? 0) - (state.lastSource ?? 0) - 1;
    tools.warn(
      `${name}: ${count} segment(s) left the source's playlist before they were read; players skip them`,
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
function takeOverNames({ entries }: RenditionState, { segments }: SourceWindow): void {
  const byNumber = new Map(segments.map((segment) => [segment.number, segment]));
  for (const entry of entries) {
    const segment = entry.source === null ? undefined : byNumber.get(entry.source);
    if (!segment) continue;
    entry.uri = showUrl(segment.uri);
    entry.seconds = segment.seconds;
  }
}

/**
 * How a playlist that was read now goes with the segments that were taken before.
 *
 * - `first`: nothing was taken before.
 * - `continues`: it goes on after them, or has nothing new.
 * - `lost`: segments between have left it already.
 * - `restarted`: the packager has started its numbering again.
 * - `unclear`: the bytes of `segment` decide. Either it has nothing new, and what it has looks like what was taken: a cache gave an older
 *   copy, or a packager that started again writes the same names. Or a number has another file name or length: a packager has started
 *   again, or a server has renewed the session in its URLs.
 */
type Alignment =
  | { readonly kind: 'first' | 'continues' | 'lost' | 'restarted' }
  | ({ readonly kind: 'unclear' } & CommonSegment);

/** A segment that was taken, as the playlist names it now. */
interface CommonSegment {
  readonly entry: LiveEntry;
  readonly segment: SourceSegment;
  readonly looksSame: boolean;
}

/**
 * @param entries that were taken from the source
 * @param lastSource number of the last of them in the source
 * @param how `verify`: look into the files even if the numbers go on, as after a start of this process. `namesVary`: paths do not count
 */
function alignWindow(
  entries: readonly LiveEntry[],
  lastSource: number | null,
  { segments }: SourceWindow,
  { verify, namesVary }: { readonly verify: boolean; readonly namesVary: boolean },
): Alignment {
  if (lastSource === null) return { kind: 'first' };
  const first = segments[0]?.number ?? 0;
  const last = segments.at(-1)?.number ?? 0;
  const taken = new Map(
    entries.flatMap((entry) => (entry.source === null ? [] : [[entry.source, entry] as const])),
  );
  // The last one, which stays the longest; one that looks different before any other.
  let common: CommonSegment | undefined;
  for (const segment of segments) {
    const entry = taken.get(segment.number);
    // A gap has no bytes to compare.
    if (!entry?.encryption || segment.gap) continue;
    const looksSame = entry.seconds === segment.seconds && (namesVary || isNamed(entry, segment));
    if (!looksSame || common?.looksSame !== false) common = { entry, segment, looksSame };
  }
  if (common && (verify || !common.looksSame || last <= lastSource)) return { kind: 'unclear', ...common };
  if (last < lastSource && !common) return { kind: 'restarted' };
  return { kind: first > lastSource + 1 ? 'lost' : 'continues' };
}

/** Without the query, which may be signed anew at each look. A byte range of the same file counts as the same name. */
function isNamed({ uri }: LiveEntry, segment: SourceSegment): boolean {
  return withoutQuery(uri) === withoutQuery(showUrl(segment.uri));
}
