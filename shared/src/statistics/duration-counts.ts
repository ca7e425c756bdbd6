/** Eight buckets for each doubling: a quantile is exact to some 4 %. */
const bucketsPerOctave = 8;
/** Below a warm key request on any machine. */
const smallestMs = 0.05;
/** Up to 100 s; no caller waits longer. */
const octaves = 21;
const buckets = bucketsPerOctave * octaves;

/** Number of durations in each bucket: only non-empty buckets, in order. The form that other services receive. */
type SparseCounts = [bucket: number, count: number][];

/** Durations, counted in buckets whose width grows with them. Counting one takes a logarithm and an addition. */
export class DurationCounts {
  readonly #counts = new Uint32Array(buckets);

  add(durationMs: number, times = 1): void {
    // Also catches NaN and negative values.
    const bucket =
      durationMs > smallestMs ? Math.floor(Math.log2(durationMs / smallestMs) * bucketsPerOctave) : 0;
    this.#addTo(bucket, times);
  }

  /** A bucket number outside of our range counts for the nearest bucket. */
  merge(counts: Readonly<SparseCounts>): void {
    for (const [bucket, count] of counts) this.#addTo(bucket, count);
  }

  sparse(): SparseCounts {
    return [...this.#counts].flatMap((count, bucket): [number, number][] =>
      count > 0 ? [[bucket, count]] : [],
    );
  }

  /**
   * @param share such as 0.95
   * @returns milliseconds; null if no duration was counted
   */
  quantile(share: number): number | null {
    const total = this.#counts.reduce((sum, count) => sum + count, 0);
    if (total === 0) return null;
    let left = Math.ceil(total * share);
    for (const [bucket, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return middleOf(bucket);
    }
    return null;
  }

  #addTo(bucket: number, times: number): void {
    const index = Math.min(Math.max(bucket, 0), buckets - 1);
    this.#counts[index] = (this.#counts[index] ?? 0) + times;
  }
}

/** The geometric middle of a bucket, in milliseconds, to three digits. */
function middleOf(bucket: number): number {
  return Number((smallestMs * 2 ** ((bucket + 0.5) / bucketsPerOctave)).toPrecision(3));
}
