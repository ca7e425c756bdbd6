import type { Clock } from '../clock/clock.ts';

/** The fields that the map needs in each entry. A separate wrapper would take 40 bytes more. */
export interface RecencyEntry {
  /** Estimated bytes of the entry with its key. The estimate may be high, and should not be low. */
  readonly bytes: number;
  /**
   * 0 at first; then written by the map. Twice the whole monotonic second of the last review, plus 1 where it was used
   * since. One whole number takes 8 bytes; a flag and a fraction take 32.
   */
  review: number;
}

/**
 * An entry that is not used for this long is dropped at its next review, and reloaded if it is needed again. Players
 * request a key every few segments, and 300 s is the usual life of a lease.
 */
const idleS = 300;
/**
 * Reviews for each added entry, where the map is not full. With two, a map that no longer grows reviews its entries
 * faster than new ones come.
 */
const reviewsPerEntry = 2;
/** Maximum reviews for each added entry, where the map is nearly full, so that adding one stays quick. */
const reviewsWhenFull = 16;
/**
 * The map counts as full from this share of its bytes. The last sixteenth gives the reviews time: until it is filled, all
 * entries have been reviewed once. Beyond it the oldest entry is evicted even if it is in use.
 */
const fullShare = 15 / 16;

/**
 * A map whose size is limited by the memory of its entries, and that drops unused ones. Entries are reviewed oldest
 * first, and a used one gets another turn (the "clock" or second-chance algorithm). So a hit costs one look-up and at
 * most one write, and a flood of keys that are used once evicts no key that is in use.
 */
export class RecencyMap<V extends RecencyEntry> {
  readonly #entries = new Map<string, V>();
  readonly #maxBytes: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #isNeeded: (value: V) => boolean;
  #bytes = 0;

  /**
   * @param maxBytes limit for all entries together
   * @param isNeeded whether an entry must stay even if it is not used, as long as there is room
   */
  constructor(
    maxBytes: number,
    clock: Pick<Clock, 'monotonic'>,
    isNeeded: (value: V) => boolean = () => false,
  ) {
    this.#maxBytes = maxBytes;
    this.#clock = clock;
    this.#isNeeded = isNeeded;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Bytes of all entries together. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && value.review % 2 === 0) value.review++;
    return value;
  }

  /** Adds or replaces an entry. An entry larger than the whole limit is not kept. */
  set(key: string, value: V): void {
    this.delete(key);
    if (value.bytes > this.#maxBytes) return;
    const nowS = this.#nowS();
    this.#append(key, value, nowS);
    this.#bytes += value.bytes;
    this.#review(nowS);
  }

  delete(key: string): void {
    const value = this.#entries.get(key);
    if (value !== undefined && this.#entries.delete(key)) this.#bytes -= value.bytes;
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #append(key: string, value: V, nowS: number): void {
    value.review = nowS * 2;
    this.#entries.set(key, value);
  }

  #review(nowS: number): void {
    let reviews = 0;
    for (const [key, value] of this.#entries) {
      const isFull = this.#bytes > this.#maxBytes * fullShare;
      if (!isFull && (reviews >= reviewsPerEntry || nowS - Math.floor(value.review / 2) < idleS)) return;
      const isLate = reviews >= reviewsWhenFull;
      if (isLate && this.#bytes <= this.#maxBytes) return;
      reviews++;
      // While there is room, `isNeeded` counts as use.
      if (!isLate && (value.review % 2 === 1 || (!isFull && this.#isNeeded(value)))) {
        this.#entries.delete(key);
        this.#append(key, value, nowS);
      } else this.delete(key);
    }
  }

  #nowS(): number {
    return Math.floor(this.#clock.monotonic() / 1_000);
  }
}
