import type { Clock } from '../clock/clock.ts';

/** Fine enough to show a revocation or a restart, coarse enough that an hour is a few hundred points. */
export const stepMs = 10_000;
/** An hour. */
export const stepsKept = 360;

/** The counts of one step. */
export interface Step<T> {
  /** Its start, milliseconds since 1970: a multiple of `stepMs`, so that the steps of several processes match. */
  at: number;
  value: T;
}

/** The counts of the last hour, step by step. Empty steps take no memory. */
export class StepRing<T> {
  readonly #clock: Clock;
  readonly #create: () => T;
  readonly #steps: Step<T>[] = [];
  #last: Step<T> | null = null;

  constructor(clock: Clock, create: () => T) {
    this.#clock = clock;
    this.#create = create;
  }

  /** The counts of the present step. */
  current(): T {
    const now = this.#clock.now();
    const last = this.#last;
    // Where the clock is set back, counting continues in the latest step.
    if (last && now < last.at + stepMs) return last.value;
    const step = { at: now - (now % stepMs), value: this.#create() };
    this.#steps.push(step);
    if (this.#steps.length > stepsKept) this.#steps.shift();
    this.#last = step;
    return step.value;
  }

  /** The steps that began at this time or later, oldest first. */
  since(at: number): readonly Step<T>[] {
    return this.#steps.filter((step) => step.at >= at);
  }
}
