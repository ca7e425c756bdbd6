import { Histogram, type HistogramConfiguration } from 'prom-client';

type Labels = Readonly<Record<string, string>>;

/** The durations of one set of labels. */
class Series {
  /** Labels that all values of the series have. */
  readonly labels: Labels;
  readonly bounds: readonly number[];
  /** How many are in each bucket and in no smaller one. The last one is for those above all bounds. */
  readonly counts: number[];
  sum = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels;
    this.bounds = bounds;
    this.counts = Array<number>(bounds.length + 1).fill(0);
  }

  observe(seconds: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++;
    counts[bucket] = (counts[bucket] as number) + 1;
    this.sum += seconds;
  }

  /** The values of the text for Prometheus, as prom-client's registry takes them. */
  export(name: string) {
    const { labels: sharedLabels, bounds, counts, sum } = this;
    let value = 0;
    const buckets = counts.map((count, bucket) => {
      value += count;
      return { metricName: `${name}_bucket`, labels: { le: bounds[bucket] ?? '+Inf' }, sharedLabels, value };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: {}, sharedLabels, value: sum },
      { metricName: `${name}_count`, labels: {}, sharedLabels, value },
    ];
  }
}

/**
 * A histogram whose labels are resolved once for each set of them. prom-client validates and joins the labels again for each
 * observation, which takes more time than all of the rest of it.
 */
export class DurationHistogram extends Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series: Series[] = [];

  constructor(options: HistogramConfiguration<string> & { buckets: number[] }) {
    super(options);
    this.#name = options.name;
    this.#help = options.help;
    this.#bounds = options.buckets;
  }

  /** Opens a series. Call it once for each set of labels. @returns a function that observes a duration in seconds */
  open(labels: Labels): (seconds: number) => void {
    const series = new Series(labels, this.#bounds);
    this.#series.push(series);
    return (seconds) => series.observe(seconds);
  }

  override async get() {
    const { values, ...head } = await this.getForPromString();
    const merged = values.map(({ labels, sharedLabels, ...rest }) => ({
      ...rest,
      labels: { ...sharedLabels, ...labels },
    }));
    return { ...head, values: merged } as unknown as Awaited<ReturnType<Histogram['get']>>;
  }

  /** The registry calls it for `/metrics`. */
  async getForPromString() {
    const values = this.#series.flatMap((series) => series.export(this.#name));
    return { name: this.#name, help: this.#help, type: 'histogram', values, aggregator: 'sum' };
  }
}
