import type { Clock } from '../clock/index.ts';

/** Fine enough to see a revocation or a restart, coarse enough that an hour is a few hundred points. */
export const stepMs = 10_000;
/** An hour. */
export const stepsKept = 360;

/** What was counted in one step. */
export interface Step<T> {
  /** When it began, milliseconds since 1970: a multiple of `stepMs`, so that the steps of several processes are the same. */
  at: number;
  value: T;
}

/** What was counted in the last hour, step by step. Steps in which nothing happened take no room. */
export class StepRing<T> {
  readonly #clock: Clock;
  readonly #create: () => T;
  readonly #steps: Step<T>[] = [];
  #last: Step<T> | null = null;

  constructor(clock: Clock, create: () => T) {
    this.#clock = clock;
    this.#create = create;
  }

  /** What the present step counts in. */
  current(): T {
    const now = this.#clock.now();
    const last = this.#last;
    // A clock that is set back goes on in the step it had got to.
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
