import { useSyncExternalStore } from 'react';
import { useApp } from '../session/app-context.ts';

/**
 * A value that depends on the time, computed every second. The component renders only when the value changes.
 *
 * @param read computes the value from the server's time, in milliseconds since 1970
 */
export function useEachSecond<Shown extends string | number | boolean>(
  read: (nowMs: number) => Shown,
): Shown {
  const { ticker, clock } = useApp();
  return useSyncExternalStore(ticker.subscribe, () => read(clock.now()));
}

/** How often relative times are refreshed: half of their smallest unit. */
const everyMs = 30_000;

/** The server's time of the rendering, in milliseconds since 1970. The component renders again every 30 s. */
export function useNow(): number {
  useEachSecond((nowMs) => Math.floor(nowMs / everyMs));
  return useApp().clock.now();
}
