import { createStore } from './store.ts';

/** The header has whole seconds: the true time is within the second that it names. */
const secondMs = 1_000;

/**
 * The server's time. With a wrong clock on this computer, all leases would look expired, or none.
 *
 * @param local this computer's clock, in milliseconds since 1970
 */
export function createClock(local: () => number = Date.now) {
  const offsetMs = createStore(0);
  return {
    /** Milliseconds since 1970. */
    now: () => local() + offsetMs.get(),
    /** Added to this computer's clock: 0 if both agree, negative if this computer is ahead. */
    offsetMs,
    /**
     * Takes the time of an answer that has just arrived.
     *
     * @param date its `Date` header, if it has one
     * @param sentAtMs when the request was sent, by this computer's clock
     */
    observe(date: string | null, sentAtMs: number): void {
      const serverMs = Date.parse(date ?? '');
      if (Number.isNaN(serverMs)) return;
      const [earliest, latest] = [sentAtMs, local()].map((ms) => ms + offsetMs.get()) as [number, number];
      // A slow answer does not contradict the known offset. Keeping it stops shown times from jumping back and forth.
      const agrees = serverMs + secondMs >= earliest - secondMs && serverMs <= latest + secondMs;
      if (!agrees) offsetMs.set(Math.round(serverMs + secondMs / 2 - local()));
    },
  };
}

/** One timer for all that a page shows of the time. It starts with the first listener, and runs while there is one. */
export function createTicker(everyMs: number) {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let ticks = 0;
  return {
    get: () => ticks,
    /** @returns ends the subscription */
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      timer ??= setInterval(() => {
        ticks++;
        for (const each of [...listeners]) each();
      }, everyMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
