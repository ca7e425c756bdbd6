import { useInterval } from '@mantine/hooks';
import { createContext, useContext, useState, useSyncExternalStore } from 'react';
import { useApp } from '../session/app-context.ts';
import { useStore } from './store.ts';

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

/** The server's time in milliseconds since 1970, refreshed while the component is mounted. */
export function useNow(): number {
  const offsetMs = useStore(useApp().clock.offsetMs);
  const [localMs, setLocalMs] = useState(() => Date.now());
  useInterval(() => setLocalMs(Date.now()), everyMs, { autoInvoke: true });
  return localMs + offsetMs;
}

/** Changes whenever shown times are to be drawn again. `main.tsx` provides the value of `useNow`. */
export const NowContext = createContext(0);

/** As `useNow`, for each of the hundred times of a table: one timer serves all of them. Returns the time of the rendering. */
export function useSharedNow(): number {
  useContext(NowContext);
  return useApp().clock.now();
}
