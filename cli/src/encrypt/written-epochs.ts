import type { WrittenEpochs } from './content-key-source.ts';
import type { RenditionPlan } from './plan-rendition.ts';

/** The speed that a server chooses if none is stated, and its limit (`docs/reference/contract.md#key-periods`). */
export const usualSpeed = 2;
const mostSpeed = 100;
/** The burst that a server chooses: the keys of two minutes, within limits (`docs/reference/contract.md#key-periods`). */
const usualBurst = { seconds: 120, least: 8, most: 1_000 };
/** The other half of a burst is left for the buffer at the start and for seeking. */
const shareOfBurst = 0.5;
/** An epoch within the last N bursts costs nothing (`docs/reference/contract.md#key-periods`). */
const rememberedBursts = 4;
/** Players offer double speed as a rule. */
const fastestPlayback = 2;

/**
 * The epochs of each content id that has some.
 *
 * @param plans of all renditions
 */
export function findWrittenEpochs(plans: readonly RenditionPlan[]): ReadonlyMap<string, WrittenEpochs> {
  const timelines = Map.groupBy(plans.flatMap(timelinesOf), ({ contentId }) => contentId);
  return new Map([...timelines].map(([contentId, own]) => [contentId, measure(own)]));
}

/** When a rendition needs which epoch of a content. */
interface Timeline {
  readonly contentId: string;
  /** Whether it is an I-frame playlist, which plays the same epochs faster. */
  readonly iFrames: boolean;
  /** Seconds of each epoch, in the order of playback. */
  readonly seconds: ReadonlyMap<number, number>;
}

/** One for each content id of a rendition: I-frames may have the keys of several renditions. */
function timelinesOf({ rendition, segments }: RenditionPlan): Timeline[] {
  const contents = new Map<string, Map<number, number>>();
  for (const { key, seconds: length } of segments) {
    if (key.epoch === undefined) continue;
    const seconds = contents.get(key.contentId) ?? new Map<number, number>();
    contents.set(key.contentId, seconds);
    seconds.set(key.epoch, (seconds.get(key.epoch) ?? 0) + length);
  }
  const iFrames = rendition.playlist.iFramesOnly;
  return [...contents].map(([contentId, seconds]) => ({ contentId, iFrames, seconds }));
}

function measure(timelines: readonly Timeline[]): WrittenEpochs {
  // I-frames have the epochs of the segments that they come from, and may leave out some time.
  const full = timelines.filter(({ iFrames }) => !iFrames);
  const counted = full.length > 0 ? full : timelines;
  const count = timelines.flatMap(({ seconds }) => [...seconds.keys()]).reduce((a, b) => Math.max(a, b)) + 1;
  const longest = counted.flatMap(({ seconds }) => [...seconds.values()]).reduce((a, b) => Math.max(a, b));
  // Playlists write milliseconds. A sum of many durations differs from them by far less than a microsecond.
  const longestMs = Math.max(1, Math.ceil(longest * 1_000 - 0.001));
  return { count, longestMs, speed: findSpeed(needsOf(counted), longestMs / 1_000) };
}

/** An epoch whose key a player needs, and when: in seconds from the start at the fastest playback. */
interface Need {
  readonly at: number;
  readonly epoch: number;
}

/** The keys that a player of all these renditions needs, in order. Renditions whose epochs are equally long count once. */
function needsOf(timelines: readonly Timeline[]): Need[] {
  const distinct = new Map(timelines.map(({ seconds }) => [JSON.stringify([...seconds]), seconds]));
  const needs = [...distinct.values()].flatMap((seconds) => {
    let at = 0;
    return [...seconds].map(([epoch, length]) => {
      const need = { at, epoch };
      at += length / fastestPlayback;
      return need;
    });
  });
  return needs.sort((a, b) => a.at - b.at);
}

/**
 * The smallest speed, in hundredths, at which the server refuses no key of the fastest playback. Epochs of one length need the
 * usual one. A stretch of short epochs needs more, and so does sound that drifts away from the picture.
 */
function findSpeed(needs: readonly Need[], periodSeconds: number): number {
  const { seconds, least, most } = usualBurst;
  const burst = Math.min(most, Math.max(least, Math.ceil(seconds / periodSeconds)));
  const isFast = (hundredths: number) => isEnough(needs, burst, hundredths / 100 / periodSeconds);
  return findLeast(usualSpeed * 100, mostSpeed * 100, isFast) / 100;
}

/**
 * A binary search.
 *
 * @param holds for every number from some number on
 * @returns the least whole number from `least` on for which it holds; `most` if there is no lower one
 */
export function findLeast(least: number, most: number, holds: (n: number) => boolean): number {
  let [low, high] = [least, most];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The bucket of the server: `docs/reference/contract.md#key-periods`. @param perSecond keys that come back */
function isEnough(needs: readonly Need[], burst: number, perSecond: number): boolean {
  const full = burst * shareOfBurst;
  const given = new Map<number, number>();
  let [level, levelAt, paid] = [full, 0, 0];
  for (const { at, epoch } of needs) {
    if (paid - (given.get(epoch) ?? Number.NEGATIVE_INFINITY) < rememberedBursts * burst) continue;
    level = Math.min(full, level + (at - levelAt) * perSecond);
    levelAt = at;
    // Sums of many durations are not exact.
    if (level < 1 - 1e-6) return false;
    level -= 1;
    given.set(epoch, paid++);
  }
  return true;
}
