import { createStore, type Store } from './store.ts';

/** The server's time. With a wrong clock on this computer, all leases would look expired, or none. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Added to this computer's clock: 0 if both agree, negative if this computer is ahead. */
  offsetMs: Store<number>;
  /**
   * Takes the time of an answer that has just arrived.
   *
   * @param date its `Date` header, if it has one
   * @param sentAtMs when the request was sent, by this computer's clock
   */
  observe(date: string | null, sentAtMs: number): void;
}

/** The header has whole seconds: the true time is within the second that it names. */
const secondMs = 1_000;

/** @param local this computer's clock, in milliseconds since 1970 */
export function createClock(local: () => number = Date.now): Clock {
  const offsetMs = createStore(0);
  return {
    now: () => local() + offsetMs.get(),
    offsetMs,
    observe(date, sentAtMs) {
      const serverMs = Date.parse(date ?? '');
      if (Number.isNaN(serverMs)) return;
      const [earliest, latest] = [sentAtMs, local()].map((ms) => ms + offsetMs.get()) as [number, number];
      // A slow answer does not contradict the known offset. Keeping it stops shown times from jumping back and forth.
      const agrees = serverMs + secondMs >= earliest - secondMs && serverMs <= latest + secondMs;
      if (!agrees) offsetMs.set(Math.round(serverMs + secondMs / 2 - local()));
    },
  };
}

/** One timer for all countdowns of the page. It runs only while there is a countdown. */
export interface Ticker {
  /** Calls the listener every second. @returns ends the subscription */
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
