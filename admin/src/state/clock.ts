import { createStore, type Store } from './store.ts';

/** What time it is on the server. This computer's own clock may be wrong, and then every lease would look expired, or none. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** What is added to this computer's clock: 0 where the two agree. Negative where this computer is ahead. */
  offsetMs: Store<number>;
  /**
   * Hears of an answer that has just come.
   *
   * @param date its `Date` header, if it has one
   * @param sentAtMs when it was asked for, by this computer's clock
   */
  hear(date: string | null, sentAtMs: number): void;
}

/** The header has whole seconds: the true time is somewhere in the one that begins there. */
const secondMs = 1_000;

/** @param local this computer's clock, in milliseconds since 1970 */
export function createClock(local: () => number = Date.now): Clock {
  const offsetMs = createStore(0);
  return {
    now: () => local() + offsetMs.get(),
    offsetMs,
    hear(date, sentAtMs) {
      const told = Date.parse(date ?? '');
      if (Number.isNaN(told)) return;
      const [earliest, latest] = [sentAtMs, local()].map((ms) => ms + offsetMs.get()) as [number, number];
      // However long the answer took: what was known agrees with it, and times on the page do not tremble.
      const agrees = told + secondMs >= earliest - secondMs && told <= latest + secondMs;
      if (!agrees) offsetMs.set(Math.round(told + secondMs / 2 - local()));
    },
  };
}
