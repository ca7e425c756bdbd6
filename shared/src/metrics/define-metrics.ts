import { Counter, Gauge, type Registry } from 'prom-client';
import { withTimeLimit } from '../lifecycle/index.ts';
import { describedMetrics, type MetricDescription, type MetricName } from './catalogue.ts';

export type NameOf<Type extends MetricDescription['type']> = {
  [Name in MetricName]: (typeof describedMetrics)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** One value, values by labels, or null if the gauge has no value now. */
type Reading = number | null | readonly (readonly [Readonly<Record<string, string>>, number])[];
type Read = () => Reading | Promise<Reading>;

/**
 * The longest usual reading counts a million active leases, in 300 ms at most. A Prometheus that waits for half a second must not
 * take the process for lost.
 */
const readLimitMs = 400;

/** The options for prom-client's constructors, from the catalogue. */
export function describeMetric(name: MetricName, registry: Registry) {
  const { help, labels = [] }: MetricDescription = describedMetrics[name];
  return { name, help, labelNames: [...labels], registers: [registry] };
}

/**
 * Adds a gauge that is read at each scrape, so that it costs requests nothing. Several parts of a process may add their own values to the
 * same gauge. A reading that fails or hangs is left out: a database that does not answer must not hide the other metrics.
 */
export function addGauge(registry: Registry, name: NameOf<'gauge'>, read: Read): void {
  const existing = registry.getSingleMetric(name);
  const gauge = existing instanceof ReadGauge ? existing : new ReadGauge(describeMetric(name, registry));
  gauge.readers.push(shareReading(read));
}

/** prom-client's own gauge has a value from the start on, and could not be absent. */
class ReadGauge extends Gauge {
  readonly readers: (() => Promise<Reading>)[] = [];

  override async get() {
    const readings = await Promise.all(
      this.readers.map((read) => withTimeLimit(readLimitMs, read()).catch(() => null)),
    );
    const values = readings.flatMap((reading) => {
      if (reading === null) return [];
      return typeof reading === 'number'
        ? [{ labels: {}, value: reading }]
        : reading.map(([labels, value]) => ({ labels: { ...labels }, value }));
    });
    const { values: _, ...head } = await super.get();
    return { ...head, values } as unknown as Awaited<ReturnType<Gauge['get']>>;
  }
}

/** Scrapes that come while a reading hangs share it, so that they do not add to the load of what hangs. */
function shareReading(read: Read): () => Promise<Reading> {
  let running: Promise<Reading> | null = null;
  return () => {
    running ??= (async () => read())().finally(() => {
      running = null;
    });
    return running;
  };
}

/**
 * A counter for the path of a key request: prom-client's makes a text of the labels for each increment. An increment here is an addition, and the
 * counter takes the sums when it is read.
 */
export class Tally {
  readonly #counts = new Map<string, { value: number }>();

  /** @param label the only label of the metric */
  constructor(name: NameOf<'counter'>, label: string, registry: Registry) {
    const counts = this.#counts;
    new Counter({
      ...describeMetric(name, registry),
      collect() {
        this.reset();
        for (const [text, { value }] of counts) this.inc({ [label]: text }, value);
      },
    });
  }

  add(label: string): void {
    const count = this.#counts.get(label);
    if (count) count.value++;
    else this.#counts.set(label, { value: 1 });
  }
}
