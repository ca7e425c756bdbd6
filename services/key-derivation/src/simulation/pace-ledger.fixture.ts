import type { PacedKey } from '../pace/key-pace.ts';
import { burst, refillMs } from './simulated-schedules.fixture.ts';

/** Counts the keys that the pace lets each viewer have of each content, against the promise. */
export class PaceLedger {
  readonly #buckets: number;
  readonly #startedAtMs: number;
  readonly #given = new Map<string, Set<number>>();
  readonly #givenBy = new Map<string, number>();

  /** @param buckets replicas that may each give a whole burst */
  constructor(buckets: number, startedAtMs: number) {
    this.#buckets = buckets;
    this.#startedAtMs = startedAtMs;
  }

  /**
   * Notes what the pace of a replica answered.
   *
   * @param waitMs 0 where the key may be given
   * @returns whether the viewer has more than the pace of one bucket allows
   * @throws Error if the promise is broken, or if a replica refuses a viewer's first key
   */
  note(key: PacedKey, which: number, waitMs: number, nowMs: number): boolean {
    const name = `${key.viewerId} ${key.contentId}`;
    const givenBy = this.#givenBy.get(`${name} ${which}`) ?? 0;
    if (waitMs > 0) {
      if (givenBy === 0)
        throw new Error(`replica ${which} refuses a viewer's first key: ${JSON.stringify(key)}`);
      return false;
    }
    this.#givenBy.set(`${name} ${which}`, givenBy + 1);
    const given = this.#given.get(name) ?? new Set();
    this.#given.set(name, given.add(key.epoch));
    const ofOne = Math.floor(burst + (nowMs - this.#startedAtMs) / refillMs);
    if (given.size > this.#buckets * ofOne)
      throw new Error(`${given.size} keys are more than the pace allows: ${JSON.stringify(key)}`);
    return given.size > ofOne;
  }
}
