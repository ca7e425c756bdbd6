import type { Clock } from '../clock/clock.ts';

export interface ManualClock extends Clock {
  /** Advances both clocks. */
  advance(ms: number): void;
  /** Sets only the wall clock, as an administrator or NTP does. */
  setWall(ms: number): void;
}

/** A clock that stands still until the test moves it. It starts at 2026-01-01T00:00:00.000Z. */
export function createManualClock(startMs = Date.UTC(2026, 0, 1)): ManualClock {
  let wallMs = startMs;
  let monotonicMs = 0;
  return {
    now: () => wallMs,
    monotonic: () => monotonicMs,
    advance(ms) {
      wallMs += ms;
      monotonicMs += ms;
    },
    setWall(ms) {
      wallMs = ms;
    },
  };
}
