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
  const { seconds, clock } = useApp();
  return useSyncExternalStore(seconds.subscribe, () => read(clock.now()));
}

/** The server's time of the rendering, in milliseconds since 1970. The component renders again every 30 s. */
export function useNow(): number {
  const { refreshes, clock } = useApp();
  useSyncExternalStore(refreshes.subscribe, refreshes.get);
  return clock.now();
}
