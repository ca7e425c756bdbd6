import { AppError } from '@latchkey/shared/errors';
import { segmentName } from '../encrypt/target-names.ts';
import { explainError } from '../explain-error.ts';
import { showUrl } from '../show-url.ts';
import { SourceUnavailable } from '../source/request-source.ts';
import { encryptSegment, type LiveTools, type WrittenSegment } from './encrypt-segment.ts';
import { alignFollower, createFollower, type Follower, type RenditionOptions } from './follower.ts';
import { assumedTargetSeconds, type ChannelLookup } from './load-channel.ts';
import { renderWindow } from './render-window.ts';
import { filesOf, hasHiddenParts, hasStarted, openRenditionFolder, slideWindow } from './rendition-state.ts';
import type { SourceSegment, SourceWindow } from './source-window.ts';

/** While a long window is taken at the start, players may begin with its first part. */
const publishEveryMs = 100;
/** A segment that the playlist names and that cannot be read becomes a gap after N target durations. */
const patienceTargets = 3;

/**
 * Opens a rendition and writes the playlist that its state describes, which a killed process may not have written.
 *
 * @throws AppError `VALIDATION_FAILED` if the folder's state cannot be read
 */
export async function openFollower(options: RenditionOptions, tools: LiveTools): Promise<Follower> {
  const folder = await openRenditionFolder(options.folder, options.playlistName);
  const { entries } = folder.state;
  for (const { encryption } of entries)
    if (encryption) tools.vectors.remember(encryption.epoch, encryption.iv);
  const follower = createFollower(options, tools, folder);
  // A state with hidden parts is completed from the source first.
  if (entries.length > 0 && !hasHiddenParts(folder.state)) await publish(follower);
  return follower;
}

/** Takes over what has changed in the source. @returns whether the source has ended */
export async function followStep(follower: Follower): Promise<boolean> {
  const { playlist, folder, tools } = follower;
  const { state } = folder;
  await folder.sweep(tools.clock.now());
  const read = await playlist.read();
  if (read && rangeOf(read) !== follower.range) {
    follower.range = rangeOf(read);
    follower.changedAt = tools.clock.monotonic();
  }
  if (read && (await alignFollower(follower, read))) {
    follower.window = read;
    const firstSeen = tools.clock.now();
    const before = follower.sightings;
    follower.sightings = new Map(
      read.segments.map(({ number, secondsToEnd }) => [
        number,
        before.get(number) ?? { firstSeen, secondsToEnd },
      ]),
    );
    slideWindow(state, read, firstSeen);
    follower.isPublished = false;
  }
  const { window } = follower;
  if (!window) return false;
  for (const segment of window.segments) {
    if (segment.number <= (state.lastSource ?? -1)) continue;
    if (!(await takeSegment(follower, segment))) break;
    follower.isPublished = false;
    if (tools.clock.monotonic() - follower.publishedAt >= publishEveryMs) await publish(follower);
  }
  const isEnded = window.ended && window.lastNumber <= (state.lastSource ?? -1);
  if (isEnded !== state.ended) follower.isPublished = false;
  state.ended = isEnded;
  if (!follower.isPublished && state.entries.length > 0) await publish(follower);
  return isEnded;
}

/** Other queries or lines are no progress. */
function rangeOf({ firstNumber, lastNumber }: SourceWindow): string {
  return `${firstNumber}-${lastNumber}`;
}

/** Seconds until the next step. */
function pauseOf(follower: Follower): number {
  const { tools, window } = follower;
  const targetSeconds = targetSecondsOf(follower);
  const first = window?.segments[0];
  if (!first) return tools.source.pollSeconds(targetSeconds);
  // Before a list that is shorter than two target durations has lost what was added. One that begins has one segment.
  const lossSeconds = Math.max(first.seconds, first.secondsToEnd / 2);
  return tools.source.pollSeconds(Math.min(targetSeconds, lossSeconds));
}

/** The target duration of the source. */
function targetSecondsOf({ window, folder }: Follower): number {
  return (window?.header ?? folder.state.header)?.targetSeconds ?? assumedTargetSeconds;
}

/** @returns false if the segment cannot be read yet */
async function takeSegment(follower: Follower, segment: SourceSegment): Promise<boolean> {
  const { options, tools, folder, sightings, copySection } = follower;
  const { state } = folder;
  const { missing, compared } = follower;
  if (missing?.number === segment.number && tools.clock.monotonic() < missing.retryAt) return false;
  const number = segment.number + state.offset;
  const sighting = sightings.get(segment.number) ?? { firstSeen: tools.clock.now(), secondsToEnd: 0 };
  const discontinuity = segment.discontinuity || state.breaksNext;
  let written: WrittenSegment;
  let { lines } = segment;
  try {
    const map = segment.map && (await copySection(segment.map, targetSecondsOf(follower), discontinuity));
    const bytes = compared?.segment === segment ? compared.bytes : undefined;
    written = await encryptSegment({ segment, number, bytes, map, ...sighting }, options.folder, tools);
    if (bytes) follower.compared = undefined;
  } catch (error) {
    tools.signal.throwIfAborted();
    if (!mayBecomeGap(follower, segment.number, error)) return false;
    tools.warn(`${options.name}: segment ${number} becomes a gap (${explainError(error)})`);
    const name = segmentName(BigInt(number), segment.uri, segment.map !== undefined);
    written = { name, identity: '', map: undefined, encryption: undefined };
    lines = ['#EXT-X-GAP', ...lines];
  }
  if (discontinuity) state.discontinuityNumber++;
  const { uri, seconds, number: source } = segment;
  state.entries.push({
    ...{ number, source, uri: showUrl(uri), seconds, lines, discontinuity },
    ...written,
    map: written.map ?? state.entries.at(-1)?.map,
    discontinuityNumber: state.discontinuityNumber,
  });
  state.next = number + 1;
  state.lastSource = source;
  state.breaksNext = false;
  follower.missing = undefined;
  return true;
}

/**
 * Whether a segment that cannot be taken counts as a gap by now, so that the ones after it are played.
 *
 * @throws the error if it is not about the source, or if the first segment cannot be used
 */
function mayBecomeGap(follower: Follower, number: number, error: unknown): boolean {
  const isRefused = error instanceof AppError && error.status === 400;
  if (!isRefused && !(error instanceof SourceUnavailable)) throw error;
  if (isRefused && !hasStarted(follower.folder.state)) throw error;
  const targetMs = targetSecondsOf(follower) * 1_000;
  const now = follower.tools.clock.monotonic();
  const since = follower.missing?.number === number ? follower.missing.since : now;
  // A server has answered. Asked often, one that refuses would refuse the more.
  const isAnswer = error instanceof SourceUnavailable && error.status !== undefined;
  follower.missing = { number, since, retryAt: isAnswer ? now + targetMs : now };
  return now - since >= patienceTargets * targetMs;
}

async function publish(follower: Follower): Promise<void> {
  const { folder, tools, options } = follower;
  const { state } = folder;
  const { entries } = state;
  const seconds = entries.reduce((sum, entry) => sum + entry.seconds, 0);
  state.longestSeconds = Math.max(state.longestSeconds, seconds);
  const text = renderWindow(state, tools.keyUrlOf);
  if (text !== follower.text) {
    // A failed attempt is repeated.
    follower.text = undefined;
    await folder.publish(text, tools.clock.now());
    const lastEpoch = entries.findLast(({ encryption }) => encryption)?.encryption?.epoch;
    await options.onPublish({ text, files: [...filesOf(state)], lastEpoch });
    follower.text = text;
    follower.publishedAt = tools.clock.monotonic();
  }
  follower.isPublished = true;
}

/** After an error, so that a full disk does not fill the log. */
const retrySeconds = 1;
/** The session or the signature in the address of a playlist has ended, or the playlist has another name now. */
const endedStatuses: ReadonlySet<number | undefined> = new Set([401, 403, 404, 410]);
/** Some servers keep the playlist of a session that has ended. */
const stillTargets = 3;

/**
 * Follows a rendition until its source ends. A playlist that has ended or stands still is looked up anew from the address that was given.
 *
 * @throws AppError `VALIDATION_FAILED` if nothing of the source can be used, or the reason of `tools.signal`
 */
export async function keepFollowing(follower: Follower, lookup: ChannelLookup): Promise<void> {
  const { options, tools, folder } = follower;
  const { signal, warn, wait } = tools;
  for (;;) {
    signal.throwIfAborted();
    try {
      // Before the look, not after it: a redirect may lead to the address that was just asked.
      if (standsStill(follower)) await renew(follower, lookup, 'has not changed for some time');
      if (await followStep(follower)) return;
      await wait(pauseOf(follower), signal);
    } catch (error) {
      signal.throwIfAborted();
      const isRefused = error instanceof AppError && error.status === 400;
      if (isRefused && !hasStarted(folder.state)) throw error;
      const fault = explainError(error);
      if (error instanceof SourceUnavailable) {
        // The packager may start again before the next look.
        follower.verify = true;
        follower.playlist.forget();
        if (endedStatuses.has(error.status) && (await renew(follower, lookup, fault))) continue;
      }
      warn(`${options.name}: ${fault}; its playlist stands still`);
      await wait(Math.max(retrySeconds, pauseOf(follower)), signal);
    }
  }
}

function standsStill(follower: Follower): boolean {
  const { tools, window, changedAt, renewedAt } = follower;
  const stillMs = tools.clock.monotonic() - Math.max(changedAt, renewedAt);
  return !window?.ended && stillMs >= stillTargets * targetSecondsOf(follower) * 1_000;
}

/** @returns whether the playlist is read elsewhere from now on */
async function renew(follower: Follower, lookup: ChannelLookup, reason: string): Promise<boolean> {
  const { options, tools, playlist } = follower;
  follower.renewedAt = tools.clock.monotonic();
  try {
    const found = await lookup.renew(options.name, playlist.place, targetSecondsOf(follower));
    if (found === undefined) return false;
    tools.warn(`${options.name}: its playlist was looked up anew (${reason})`);
    playlist.move(found);
    follower.verify = true;
    return true;
  } catch (error) {
    tools.signal.throwIfAborted();
    tools.warn(`${options.name}: its playlist cannot be looked up anew (${explainError(error)})`);
    return false;
  }
}
