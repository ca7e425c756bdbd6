import { alignWindow } from './align-window.ts';
import { identityOf } from './encrypt-segment.ts';
import type { Follower } from './follower.ts';
import type { LiveEntry } from './rendition-state.ts';
import { skipTo, startFirst, startRun } from './slide-window.ts';
import type { SourceSegment, SourceWindow } from './source-window.ts';

/**
 * Brings the state of a rendition to a playlist that was just read.
 *
 * @returns false if the playlist is older than what was taken already, and is ignored
 */
export async function alignFollower(follower: Follower, read: SourceWindow): Promise<boolean> {
  const { options, tools, folder, sightings, verify } = follower;
  const { state } = folder;
  const { name } = options;
  const [first] = read.segments;
  let alignment = alignWindow(state.entries, state.lastSource, read, verify);
  if (alignment.kind === 'unclear') {
    const { entry, segment } = alignment;
    const isSame = await hasSameBytes(follower, entry, segment);
    const isOlder = (read.segments.at(-1)?.number ?? 0) < (state.lastSource ?? 0);
    if (isSame && isOlder) return false;
    alignment = isSame ? alignWindow([], state.lastSource, read, false) : { kind: 'restarted' };
  }
  follower.verify = false;
  if (alignment.kind === 'first') startFirst(state, read);
  if (alignment.kind === 'restarted') {
    tools.warn(`${name}: the packager has started again; its segments follow after a discontinuity`);
    startRun(state, read);
    sightings.clear();
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

/** A file that was removed meanwhile belongs to an old copy of the playlist, so it counts as the same. */
async function hasSameBytes(
  { options, tools }: Follower,
  { identity }: LiveEntry,
  { uri, byteRange, line }: SourceSegment,
): Promise<boolean> {
  const place = { playlist: options.location, line };
  try {
    const location = await tools.source.resolve(uri, options.location, place);
    return identityOf(await tools.source.read(location, byteRange)) === identity;
  } catch {
    return true;
  }
}
