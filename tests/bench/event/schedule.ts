import { monotonicMs } from '../load/order.ts';
import type { EventViewer } from './event-viewer.ts';

/** Something that is due at a moment on the clock of `monotonicMs`. */
export interface Due {
  atMs: number;
  act: (atMs: number) => void;
}

/** After the last request. Players have given up by then. */
const patienceMs = 10_000;

/** Does everything when it is due, late ones at once, whatever earlier ones wait for (an open loop). Resolves after the last. */
export function runAll(dues: readonly Due[]): Promise<void> {
  const sorted = [...dues].sort((a, b) => a.atMs - b.atMs);
  let next = 0;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const nowMs = monotonicMs();
      for (let due = sorted[next]; due && due.atMs <= nowMs; due = sorted[++next]) due.act(due.atMs);
      if (next < sorted.length) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
}

/** Waits until no viewer waits for an answer, and gives those up that wait too long. */
export async function untilAnswered(viewers: readonly EventViewer[]): Promise<void> {
  const limitMs = monotonicMs() + patienceMs;
  while (viewers.some(({ isWaiting }) => isWaiting)) {
    if (monotonicMs() > limitMs) for (const viewer of viewers) if (viewer.isWaiting) viewer.giveUp();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
