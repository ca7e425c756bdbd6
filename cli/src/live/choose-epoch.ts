import { type ClockPeriods, currentEpochOf } from '@latchkey/shared/contracts';

interface SegmentTimes {
  /** By EXT-X-PROGRAM-DATE-TIME: milliseconds since 1970. */
  readonly programTime: number | undefined;
  /** When the segment was first seen in the playlist: milliseconds since 1970. */
  readonly firstSeen: number;
  /** Seconds from its beginning to the end of the playlist in which it was first seen. */
  readonly secondsToEnd: number;
}

interface ChosenEpoch {
  readonly epoch: number;
  /** EXT-X-PROGRAM-DATE-TIME is too far from the clock and was not used. */
  readonly strayed: boolean;
}

/** An encoder, its network and a packager take some seconds, and a transcoder in a cloud up to half a minute. */
const longestDelayMs = 30_000;

/**
 * The epoch of the moment when a segment begins.
 *
 * A program time that is far from the clock is not used. If it lagged by an hour, a viewer who is revoked now would already
 * have the keys of the next hour, since keys are served by the clock.
 *
 * @param now milliseconds since 1970, not before the origin of the periods
 * @returns an epoch whose key is served now
 */
export function chooseEpoch(periods: ClockPeriods, times: SegmentTimes, now: number): ChosenEpoch {
  const { programTime, firstSeen, secondsToEnd } = times;
  const expected = firstSeen - secondsToEnd * 1_000;
  const toleranceMs = longestDelayMs + periods.periodSeconds * 1_000;
  const strayed = programTime !== undefined && Math.abs(programTime - expected) > toleranceMs;
  const begins = programTime === undefined || strayed ? firstSeen : programTime;
  const current = currentEpochOf(periods, now);
  const earliest = periods.behind === null ? 0 : Math.max(0, current - periods.behind);
  // Not later than the current one either: its key may not be served yet.
  return { epoch: Math.min(Math.max(currentEpochOf(periods, begins), earliest), current), strayed };
}
