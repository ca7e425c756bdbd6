import { LRUCache } from 'lru-cache';
import type { UsageCount } from '../contracts/index.ts';

/** Requests that were served and that were refused. */
export type Served = Pick<UsageCount, 'served' | 'refused'>;
/** A series of a kind and its counts. `series` is empty for the sum of all series that have no count of their own. */
type NamedCount = Pick<UsageCount, 'series' | keyof Served>;

/**
 * Series that are counted apart in a minute: each takes some 150 bytes. A caller can name any number of ids, and the busiest ones
 * are far fewer.
 */
const mostSeries = 4_000;

/** The counts of one minute and kind. Their sum is exact, however many series there are. */
export class SeriesCounts {
  readonly #other: Served = { served: 0, refused: 0 };
  /** A busy series stays although many rare ones came before it: the one that was counted longest ago goes. */
  readonly #bySeries = new LRUCache<string, Served>({
    // A size in place of `max`, which takes the room of all series at once.
    maxSize: mostSeries,
    sizeCalculation: () => 1,
    dispose: (count) => addTo(this.#other, count),
  });

  /** The path of each request: one look-up where the series is known. */
  add(series: string, isServed: boolean): void {
    let count = this.#bySeries.get(series);
    if (!count) {
      count = { served: 0, refused: 0 };
      this.#bySeries.set(series, count);
    }
    if (isServed) count.served++;
    else count.refused++;
  }

  /** How many series are counted apart. */
  get size(): number {
    return this.#bySeries.size;
  }

  /**
   * The series with the most requests, and what is left as `''`.
   *
   * @param nameOf how a series is stored. Two with one name become one
   */
  top(limit: number, nameOf: (series: string, counts: Served) => string): NamedCount[] {
    const named = new Map<string, NamedCount>();
    const other = { series: '', ...this.#other };
    // Among equals, the oldest first.
    const ranked = [...this.#bySeries]
      .reverse()
      .sort(([, a], [, b]) => b.served + b.refused - (a.served + a.refused));
    for (const [place, [given, count]] of ranked.entries()) {
      const series = place < limit ? nameOf(given, count) : '';
      const into = series === '' ? other : (named.get(series) ?? { series, served: 0, refused: 0 });
      addTo(into, count);
      if (series !== '') named.set(series, into);
    }
    return other.served + other.refused > 0 ? [...named.values(), other] : [...named.values()];
  }
}

function addTo(sum: Served, { served, refused }: Served): void {
  sum.served += served;
  sum.refused += refused;
}
