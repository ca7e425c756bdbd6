/**
 * How many requests wait for slow sources in all. The gateway sends 128 at a time to one address, so the others always find a place,
 * whatever sources are silent.
 */
const waitingAtMost = 64;
/** Most sources answer in less. */
const slowAfterMs = 500;

/** A source is slow, and enough requests wait for slow ones. The fetch goes on, so a later request may find its text. */
class SourceSlow extends Error {
  constructor() {
    super('the source is slow');
  }
}

/** Calls a function later. @returns a function that cancels it */
export type Schedule = (afterMs: number, run: () => void) => () => void;

/** Counts the requests that wait for slow sources. One for all sources. */
export interface SlowPlaces {
  readonly schedule: Schedule;
  /** @returns whether there was a place */
  take(): boolean;
  free(count: number): void;
}

export function createSlowPlaces(schedule: Schedule = scheduleByTimer, atMost = waitingAtMost): SlowPlaces {
  let taken = 0;
  return {
    schedule,
    take() {
      if (taken >= atMost) return false;
      taken++;
      return true;
    },
    free(count) {
      taken -= count;
    },
  };
}

function scheduleByTimer(afterMs: number, run: () => void): () => void {
  const timer = setTimeout(run, afterMs);
  return () => clearTimeout(timer);
}

/** One fetch, and the requests that wait for it. */
export class SharedFetch<T> {
  readonly #places: SlowPlaces;
  #isSlow = false;
  #waiting: PromiseWithResolvers<T>[] = [];

  constructor(result: Promise<T>, places: SlowPlaces) {
    this.#places = places;
    const cancel = places.schedule(slowAfterMs, () => this.#becomeSlow());
    const settle = (each: (waiting: PromiseWithResolvers<T>) => void) => {
      cancel();
      if (this.#isSlow) places.free(this.#waiting.length);
      for (const waiting of this.#waiting) each(waiting);
      this.#waiting = [];
    };
    result.then(
      (value) => settle(({ resolve }) => resolve(value)),
      (error) => settle(({ reject }) => reject(error)),
    );
  }

  /** @throws SourceSlow; or the error of the fetch */
  join(): Promise<T> {
    if (this.#isSlow && !this.#places.take()) return Promise.reject(new SourceSlow());
    const waiting = Promise.withResolvers<T>();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  #becomeSlow(): void {
    this.#isSlow = true;
    const kept = [];
    for (const waiting of this.#waiting) {
      if (this.#places.take()) kept.push(waiting);
      else waiting.reject(new SourceSlow());
    }
    this.#waiting = kept;
  }
}
