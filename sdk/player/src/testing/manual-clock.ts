import type { Clock } from '../clock.ts';

/** A clock that the test moves. */
export interface ManualClock extends Clock {
  /** Lets time pass, runs the timers that are due, and waits for what follows from them. */
  advance(durationMs: number): Promise<void>;
  /** The machine sleeps: time passes, and timers run when it wakes. */
  jump(durationMs: number): void;
}

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** The wall clock when the other one begins. */
const epochMs = Date.parse('2026-11-21T12:00:00Z');

export function createManualClock(): ManualClock {
  let nowMs = 1_000;
  const timers = new Set<Timer>();
  const nextDue = (untilMs: number) =>
    [...timers].filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];
  return {
    now: () => nowMs,
    wallNow: () => epochMs + nowMs,
    setTimeout(callback, delayMs) {
      const timer = { dueMs: nowMs + delayMs, callback };
      timers.add(timer);
      return timer;
    },
    clearTimeout: (timer) => void timers.delete(timer as Timer),
    async advance(durationMs) {
      const untilMs = nowMs + durationMs;
      await settle();
      for (let timer = nextDue(untilMs); timer; timer = nextDue(untilMs)) {
        timers.delete(timer);
        nowMs = Math.max(nowMs, timer.dueMs);
        timer.callback();
        await settle();
      }
      nowMs = untilMs;
    },
    jump(durationMs) {
      nowMs += durationMs;
    },
  };
}

/** Waits until all promises that can settle have settled. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
