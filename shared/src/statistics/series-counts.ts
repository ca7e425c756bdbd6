/** Requests that were served and that were refused. */
export interface Served {
  served: number;
  refused: number;
}

/** A series of a kind and its counts. `series` is empty for all those that have no count of their own. */
export interface NamedCount extends Served {
  series: string;
}

/**
 * Series that are counted apart in a minute: each takes some 150 bytes. A caller can name any number of ids, and the busiest ones
 * are far fewer.
 */
const mostSeries = 4_000;

/** The counts of one minute and kind. Their sum is exact, however many series there are. */
export class SeriesCounts {
  readonly #bySeries = new Map<string, Served>();
  readonly #other: Served = { served: 0, refused: 0 };

  /** The path of each request: one look-up where the series is known. */
  add(series: string, isServed: boolean): void {
    let count = this.#bySeries.get(series);
    if (!count) {
      if (this.#bySeries.size >= mostSeries) this.#foldRare();
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
  top(limit: number, nameOf: (series: string) => string): NamedCount[] {
    const named = new Map<string, NamedCount>();
    const other = { series: '', ...this.#other };
    for (const [place, [given, count]] of this.#ranked().entries()) {
      const series = place < limit ? nameOf(given) : '';
      const into = series === '' ? other : (named.get(series) ?? { series, served: 0, refused: 0 });
      addTo(into, count);
      if (series !== '') named.set(series, into);
    }
    return other.served + other.refused > 0 ? [...named.values(), other] : [...named.values()];
  }

  #ranked(): [series: string, count: Served][] {
    return [...this.#bySeries].sort(([, a], [, b]) => b.served + b.refused - (a.served + a.refused));
  }

  /**
   * Gives up the rarer half. A busy series stays although many rare ones came before it. Sorting takes some 2 ms, once for
   * 2,000 new series.
   */
  #foldRare(): void {
    for (const [series, count] of this.#ranked().slice(mostSeries / 2)) {
      addTo(this.#other, count);
      this.#bySeries.delete(series);
    }
  }
}

function addTo(sum: Served, { served, refused }: Served): void {
  sum.served += served;
  sum.refused += refused;
}
