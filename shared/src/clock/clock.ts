/** Time as an argument: the process's own in service, the test's to move in a test. */
export interface Clock {
  /** Wall clock, milliseconds since 1970 (UTC). For what is stored, shown or compared with a token. */
  now(): number;
  /** Milliseconds that only ever rise. For ages: a wall clock that is set back must not make a state look fresh. */
  monotonic(): number;
}

/** The machine's clocks. */
export function createSystemClock(): Clock {
  let elapsedMs = 0;
  let lastTickMs = performance.now();
  let lastWallMs = Date.now();
  return {
    now: () => Date.now(),
    monotonic() {
      const tickMs = performance.now();
      const wallMs = Date.now();
      // The operating system's monotonic clock stands still while a machine sleeps or is moved to another host, and only
      // the wall clock tells. Taking the larger step makes a state look older than it is, never fresher.
      elapsedMs += Math.max(tickMs - lastTickMs, wallMs - lastWallMs, 0);
      lastTickMs = tickMs;
      lastWallMs = wallMs;
      return elapsedMs;
    },
  };
}
