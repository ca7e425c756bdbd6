import { useEffect, useState, useSyncExternalStore } from 'react';
import { useApp } from '../session/app-context.ts';
import { useStore } from './store.ts';

/** One clock for every countdown of the page; it stands still while there is none. */
export interface Ticker {
  /** Called each second. @returns what ends it */
  subscribe(listener: () => void): () => void;
}

export function createTicker(): Ticker {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  return {
    subscribe(listener) {
      listeners.add(listener);
      timer ??= setInterval(() => {
        for (const each of [...listeners]) each();
      }, 1_000);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

/**
 * What depends on the time, asked each second. The component is drawn anew only when the answer is another.
 *
 * @param read milliseconds since 1970, by the server's clock, to what is shown: a text, a number, a word
 */
export function useEachSecond<Shown extends string | number | boolean>(
  read: (nowMs: number) => Shown,
): Shown {
  const { ticker, clock } = useApp();
  return useSyncExternalStore(ticker.subscribe, () => read(clock.now()));
}

/** How often relative times are told anew: half of the smallest unit that they have. */
const everyMs = 30_000;

/** The time on the server in milliseconds since 1970, moving on for as long as the component is shown. */
export function useNow(): number {
  const offsetMs = useStore(useApp().clock.offsetMs);
  const [localMs, setLocalMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setLocalMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, []);
  return localMs + offsetMs;
}
