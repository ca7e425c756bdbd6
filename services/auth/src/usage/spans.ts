/** Lengths of the intervals that counts are kept by, in seconds. */
export const spans = [60, 600, 3_600] as const;
export type Span = (typeof spans)[number];

export const spanMs = (span: Span): number => span * 1_000;

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** `USAGE_KEEP_DAYS` and `USAGE_MINUTES_KEEP_HOURS`. */
export interface UsageRetention {
  /** 0: nothing is kept. */
  days: number;
  /** Of the intervals that are shorter than an hour. */
  minutesHours: number;
}

/** How long counts of this length are shown, in milliseconds. Never longer than hours are. */
export function keptMs(span: Span, { days, minutesHours }: UsageRetention): number {
  return span === 3_600 ? days * dayMs : Math.min(minutesHours * hourMs, days * dayMs);
}

/** The longest step: the first one of the longest range begins up to one before it, and must be whole. */
const slackMs = 2 * hourMs;

/** Counts of this length that began before this time are removed: all of them where nothing is kept. */
export function purgedBefore(span: Span, retention: UsageRetention, now: number): number {
  return retention.days === 0 ? now + 1 : now - keptMs(span, retention) - slackMs;
}

/** The shortest and the longest range that can be read. */
export const shortestRangeMs = 15 * minuteMs;
export const longestRangeMs = 30 * dayMs;

/** How a range is read: rows of one length, several of which may be one point. */
export interface Resolution {
  span: Span;
  /** A multiple of the length. */
  stepMs: number;
}

/** The longest range of each step: at most 360 points. */
const steps: readonly (Resolution & { longestMs: number })[] = [
  { longestMs: 6 * hourMs, span: 60, stepMs: minuteMs },
  { longestMs: 48 * hourMs, span: 600, stepMs: 10 * minuteMs },
  { longestMs: 15 * dayMs, span: 3_600, stepMs: hourMs },
  { longestMs: longestRangeMs, span: 3_600, stepMs: 2 * hourMs },
];

/** The shortest step that gives at most 360 points, and whose rows are still kept. */
export function resolutionOf(
  { from, to }: { from: number; to: number },
  retention: UsageRetention,
  now: number,
): Resolution {
  const found = steps.find(
    ({ longestMs, span, stepMs }) =>
      to - from <= longestMs && (span === 3_600 || from >= purgedBefore(span, retention, now) + stepMs),
  );
  return found ?? { span: 3_600, stepMs: 2 * hourMs };
}
