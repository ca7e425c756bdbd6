const secondMs = 1_000;
const minuteMs = 60_000;
const hourMs = 3_600_000;

/**
 * The waits after the first try and after each further one: about 22 hours in all. A restart of the receiver costs seconds, a night without
 * anyone who repairs it loses nothing.
 */
const waitsMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  hourMs,
  3 * hourMs,
  6 * hourMs,
  12 * hourMs,
];

/** A tenth more or less: messages that failed together do not come back together. */
const jitter = 0.1;
/** A receiver may ask for more time, and not for so much that the tries never end. */
const longestAskedMs = hourMs;

interface FailedTry {
  /** Tries so far, this one included. */
  tries: number;
  /** The receiver's `Retry-After`, in seconds; null without it. */
  retryAfterSeconds: number | null;
}

/**
 * How long to wait after a try that failed.
 *
 * @param random from 0 to 1
 * @returns milliseconds; null if that was the last try
 */
export function nextWaitMs({ tries, retryAfterSeconds }: FailedTry, random: number): number | null {
  const waitMs = waitsMs[tries - 1];
  if (waitMs === undefined) return null;
  const jittered = waitMs * (1 - jitter + 2 * jitter * random);
  const askedMs = Math.min((retryAfterSeconds ?? 0) * 1_000, longestAskedMs);
  return Math.round(Math.max(jittered, askedMs));
}
