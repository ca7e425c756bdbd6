import type { Clock } from '../clock/index.ts';

/** What an entry carries for the map that keeps it: fields of its own, because a wrapper would take 40 bytes more. */
export interface RecencyEntry {
  /** What it takes in memory, with its key: an estimate, which may be high and should not be low. */
  readonly bytes: number;
  /**
   * 0 at first; then the map's own. Twice the whole monotonic second in which it was last reviewed, and 1 more where it was
   * asked for since. One whole number takes 8 bytes; a flag and a fraction take 32.
   */
  review: number;
}

/**
 * An entry that nobody asked for during this time is dropped at its next review, and read again if it is asked for after
 * all. Players ask for a key every few segments, and 300 s is the usual life of a lease.
 */
const idleS = 300;
/**
 * Reviews for each entry that is added, where the map is not full. With two, a map that is no longer growing gets through
 * its entries faster than new ones come.
 */
const reviewsPerEntry = 2;
/** Reviews for each entry that is added, where the map is nearly full: so that adding one stays quick. */
const reviewsWhenFull = 16;
/**
 * From this share of its bytes on the map counts as full. The last sixteenth gives the reviews time: until it is filled,
 * all entries have had their turn once. Beyond it the oldest one leaves though it is used.
 */
const fullShare = 15 / 16;

/**
 * A map that is bounded by what its entries take in memory, and that drops those that nobody asks for. Entries are reviewed
 * oldest first, and a used one gets another turn (the "clock" or second-chance algorithm). So a hit costs one look-up and
 * at most one write to the entry, and a flood of keys that are asked for once pushes out no key that is in use.
 */
export class RecencyMap<V extends RecencyEntry> {
  readonly #entries = new Map<string, V>();
  readonly #maxBytes: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #bytes = 0;

  /** @param maxBytes the entries together take no more than this */
  constructor(maxBytes: number, clock: Pick<Clock, 'monotonic'>) {
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** What the entries take together. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && value.review % 2 === 0) value.review++;
    return value;
  }

  /** Adds or replaces an entry. One that alone takes more than the map may is not kept. */
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
      if (value.review % 2 === 1 && !isLate) {
        this.#entries.delete(key);
        this.#append(key, value, nowS);
      } else this.delete(key);
    }
  }

  #nowS(): number {
    return Math.floor(this.#clock.monotonic() / 1_000);
  }
}
