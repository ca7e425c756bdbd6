import { setTimeout as pause } from 'node:timers/promises';

/** For a machine with ten times as much work as cores. */
const limitMs = 120_000;
const againAfterMs = 50;

/** @throws Error that names what did not come in time */
export async function waitUntil(what: string, isReached: () => boolean | Promise<boolean>): Promise<void> {
  const sinceMs = performance.now();
  while (!(await isReached())) {
    if (performance.now() - sinceMs > limitMs) throw new Error(`not within ${limitMs} ms: ${what}`);
    await pause(againAfterMs);
  }
}
