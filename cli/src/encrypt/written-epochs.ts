import type { WrittenEpochs } from './content-key-source.ts';
import type { RenditionPlan } from './plan-rendition.ts';

/** The speed of a server to which none is stated (`docs/contract.md#key-periods`): twice as fast as playing. */
const usualSpeed = 2;
/** The limit of the server (`docs/contract.md#key-periods`). */
const mostSpeed = 100;
/** So many epochs two renditions may lie apart at the end: the smallest burst that the server chooses pays for them. */
const nearEpochs = 8;

/**
 * The epochs of each content id.
 *
 * @param plans of all renditions
 * @returns null for a content that has one key throughout
 */
export function findWrittenEpochs(
  plans: readonly RenditionPlan[],
): ReadonlyMap<string, WrittenEpochs | null> {
  const timelines = plans.flatMap(timelinesOf);
  const contentIds = new Set(timelines.map(({ contentId }) => contentId));
  return new Map(
    [...contentIds].map((contentId) => {
      const own = timelines.filter(
        (timeline) => timeline.contentId === contentId && timeline.seconds.size > 0,
      );
      return [contentId, own.length === 0 ? null : measure(own)];
    }),
  );
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
function timelinesOf({ rendition: { playlist }, keyOf }: RenditionPlan): Timeline[] {
  const contents = new Map<string, Map<number, number>>();
  for (const segment of playlist.segments) {
    const { contentId, epoch } = keyOf(segment);
    const seconds = contents.get(contentId) ?? new Map<number, number>();
    contents.set(contentId, seconds);
    if (epoch !== undefined) seconds.set(epoch, (seconds.get(epoch) ?? 0) + segment.seconds);
  }
  return [...contents].map(([contentId, seconds]) => {
    return { contentId, iFrames: playlist.iFramesOnly, seconds };
  });
}

function measure(timelines: readonly Timeline[]): WrittenEpochs {
  // I-frames have the epochs of the segments that they come from, and may leave out some time.
  const full = timelines.filter(({ iFrames }) => !iFrames);
  const counted = full.length > 0 ? full : timelines;
  const count = timelines.flatMap(({ seconds }) => [...seconds.keys()]).reduce((a, b) => Math.max(a, b)) + 1;
  const longest = counted.flatMap(({ seconds }) => [...seconds.values()]).reduce((a, b) => Math.max(a, b));
  // Playlists write milliseconds. A sum of many durations differs from them by far less than a microsecond.
  const longestMs = Math.max(1, Math.ceil(longest * 1_000 - 0.001));
  const speed = 2 * (longestMs / 1_000) * sumOfRates(counted);
  const inHundredths = Math.ceil(speed * 100 - 0.001) / 100;
  return { count, longestMs, speed: Math.min(mostSpeed, Math.max(usualSpeed, inHundredths)) };
}

/**
 * Epochs that begin in each second of playback. Renditions that change keys together count once. Sound whose epochs are
 * longer than those of the picture drifts away from them, and then a player needs keys for both.
 */
function sumOfRates(timelines: readonly Timeline[]): number {
  const rates: { epochs: number; perSecond: number }[] = [];
  for (const { seconds } of timelines) {
    // The first and the last epoch may be cut short, and are paid by the burst.
    const inner = [...seconds.values()].slice(1, -1);
    const sum = inner.reduce((total, each) => total + each, 0);
    const isKnown = rates.some(({ epochs }) => Math.abs(epochs - seconds.size) <= nearEpochs);
    if (sum > 0 && !isKnown) rates.push({ epochs: seconds.size, perSecond: inner.length / sum });
  }
  return rates.reduce((total, { perSecond }) => total + perSecond, 0);
}
