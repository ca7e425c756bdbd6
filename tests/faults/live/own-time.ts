/** Half of the time between two lines of ffmpeg's progress. */
const tickMs = 100;

/** Milliseconds in which this process ran. */
export interface OwnTime {
  nowMs(): number;
  stop(): void;
}

/**
 * A clock that stands still while this process gets no processor time. What players say then comes late, and would look like a
 * stall of all of them.
 */
export function startOwnTime(): OwnTime {
  let ranMs = 0;
  let lastMs = performance.now();
  const tick = () => {
    const nowMs = performance.now();
    ranMs += Math.min(nowMs - lastMs, 2 * tickMs);
    lastMs = nowMs;
  };
  const timer = setInterval(tick, tickMs);
  return {
    nowMs() {
      tick();
      return ranMs;
    },
    stop: () => clearInterval(timer),
  };
}
