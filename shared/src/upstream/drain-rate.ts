import type { Clock } from '../clock/clock.ts';

/** Short against the seconds that requests wait, and long enough for some hundred of them. */
const windowMs = 500;

/** How fast a waiting line moves. */
interface DrainRate {
  /** A request has left the line because its turn had come. */
  count(): void;
  /** Requests in a millisecond; null until it is known. */
  perMs(): number | null;
  /** The line is empty, so the rate would be that of arrivals. */
  forget(): void;
}

/**
 * Measures in windows while there is a line. The faster one of the last two counts: a pause of the other service, such as the collection of
 * its garbage, refuses no request. While nothing moves, nothing is measured.
 */
export function createDrainRate(clock: Clock): DrainRate {
  let startMs: number | null = null;
  let counted = 0;
  let last: number | null = null;
  let before = 0;

  return {
    count() {
      const nowMs = clock.monotonic();
      if (startMs === null) {
        // The first one only says when the line began to move.
        startMs = nowMs;
        return;
      }
      counted++;
      if (nowMs - startMs < windowMs) return;
      before = last ?? 0;
      last = counted / (nowMs - startMs);
      startMs = nowMs;
      counted = 0;
    },
    perMs: () => (last === null ? null : Math.max(last, before)),
    forget() {
      startMs = null;
      counted = 0;
      last = null;
      before = 0;
    },
  };
}
