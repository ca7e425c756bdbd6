import type { PacedKey } from '../pace/key-pace.ts';
import { burst, refillMs } from './simulated-schedules.fixture.ts';

/** Counts the keys that the pace lets each viewer have of each content, against the promise. */
export class PaceLedger {
  readonly #buckets: number;
  readonly #isShared: boolean;
  readonly #startedAtMs: number;
  readonly #given = new Map<string, Set<number>>();
  readonly #givenBy = new Map<string, number>();

  /**
   * @param buckets replicas that may each give a whole burst: 1 where they share a Redis that never fails
   * @param isShared whether a replica may refuse because of keys that another gave
   */
  constructor(buckets: number, isShared: boolean, startedAtMs: number) {
    this.#buckets = buckets;
    this.#isShared = isShared;
    this.#startedAtMs = startedAtMs;
  }

  /**
   * Notes what the pace of a replica answered.
   *
   * @param waitMs 0 where the key may be given
   * @param uncounted keys that Redis counted and then may have forgotten, while no replica received its answer
   * @returns whether the viewer has as much as the pace allows: of one bucket, or more than that where there are several
   * @throws Error if the promise is broken, or if a replica refuses a viewer's first key
   */
  note(key: PacedKey, which: number, waitMs: number, nowMs: number, uncounted = 0): boolean {
    const name = `${key.viewerId} ${key.contentId}`;
    const givenBy = this.#givenBy.get(`${name} ${which}`) ?? 0;
    if (waitMs > 0) {
      if (givenBy === 0 && !this.#isShared)
        throw new Error(`replica ${which} refuses a viewer's first key: ${JSON.stringify(key)}`);
      return false;
    }
    this.#givenBy.set(`${name} ${which}`, givenBy + 1);
    const given = this.#given.get(name) ?? new Set();
    this.#given.set(name, given.add(key.epoch));
    const ofOne = Math.floor(burst + (nowMs - this.#startedAtMs) / refillMs);
    if (given.size > this.#buckets * ofOne + uncounted)
      throw new Error(`${given.size} keys are more than the pace allows: ${JSON.stringify(key)}`);
    return this.#buckets === 1 ? given.size === ofOne : given.size > ofOne;
  }
}
