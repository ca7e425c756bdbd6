import { addUpMetrics, type Metrics, type MetricsSnapshot, totalsOf } from '@latchkey/shared/metrics';
import type { ProcessReport } from '@latchkey/shared/statistics';
import type { WorkerReports } from '../statistics/add-own-statistics.ts';
import type { Calls } from './calls.ts';

/** What a worker sends from time to time, and when it ends. */
export interface WorkerTotals {
  metrics: MetricsSnapshot;
  report: ProcessReport;
}

/** A worker that can be asked for its figures. */
export interface FiguredWorker {
  readonly id: number;
  readonly calls: Pick<Calls, 'call'>;
}

export interface WorkerFigures {
  /** The metrics of all processes together, for the listener. */
  metrics(): Promise<string>;
  readonly contentType: Metrics['registry']['contentType'];
  /** @param refusals how many of its latest refusals each reports */
  gather(since: number, refusals?: number): Promise<WorkerReports>;
  note(id: number, totals: unknown): void;
  /** A worker has ended. Its counts stay. */
  retire(id: number): void;
}

/** A worker answers in milliseconds. The last known figures stand in for one that is stuck. */
const answerLimitMs = 500;
/** Reports of ended workers: some hundred KB each, and the latest matter for an hour. */
const reportsKept = 16;

/** The metrics and statistics of all workers, those that have ended included. */
export function createWorkerFigures(
  workers: () => FiguredWorker[],
  registry: Metrics['registry'],
): WorkerFigures {
  const latest = new Map<number, Partial<WorkerTotals>>();
  let ended: MetricsSnapshot = [];
  let endedReports: ProcessReport[] = [];
  /** Joined once more, so that a worker that ends while it is asked is counted once. */
  const known = () => [...latest.values()].flatMap(({ metrics }) => (metrics ? [metrics] : []));
  const nameOf = (id: number) => `worker ${id}`;

  async function update<Part extends keyof WorkerTotals>(part: Part, argument: unknown): Promise<number[]> {
    const missing: number[] = [];
    const ask = async ({ id, calls }: FiguredWorker) => {
      try {
        const value = await calls.call<WorkerTotals[Part]>(part, argument, answerLimitMs);
        if (workers().some((worker) => worker.id === id))
          latest.set(id, { ...latest.get(id), [part]: value });
      } catch {
        missing.push(id);
      }
    };
    await Promise.all(workers().map(ask));
    return missing;
  }

  return {
    contentType: registry.contentType,
    async metrics() {
      const [own] = await Promise.all([registry.getMetricsAsJSON(), update('metrics', null)]);
      return addUpMetrics([own, ended, ...known()]).metrics();
    },
    async gather(since, refusals = 0) {
      const missing = await update('report', { since, refusals });
      const serving = [...latest].flatMap(([id, { report }]) =>
        report && !missing.includes(id) ? [{ name: nameOf(id), report }] : [],
      );
      return {
        all: [...serving.map(({ report }) => report), ...endedReports],
        serving,
        missing: missing.map((id) => ({ service: 'key-derivation', address: nameOf(id) })),
      };
    },
    note: (id, totals) => void latest.set(id, { ...latest.get(id), ...(totals as WorkerTotals) }),
    retire(id) {
      const { metrics, report } = latest.get(id) ?? {};
      latest.delete(id);
      if (metrics) ended = joinTotals(ended, metrics);
      if (report) endedReports = [...endedReports, report].slice(-reportsKept);
    },
  };
}

/** In the form of a snapshot, so that it can be joined again. */
function joinTotals(before: MetricsSnapshot, metrics: MetricsSnapshot): MetricsSnapshot {
  const byName = new Map(before.map((metric) => [metric.name, metric]));
  for (const metric of totalsOf(metrics)) {
    const same = byName.get(metric.name);
    byName.set(
      metric.name,
      same ? { ...metric, values: [...addValues(same.values, metric.values)] } : metric,
    );
  }
  return [...byName.values()];
}

type Values = MetricsSnapshot[number]['values'];

/** Adds up the values with the same name and labels. */
function addValues(before: Values, more: Values): Values {
  const keyOf = (value: Values[number]) =>
    JSON.stringify([(value as { metricName?: string }).metricName, Object.entries(value.labels).sort()]);
  const sums = new Map(before.map((value) => [keyOf(value), value]));
  for (const value of more) {
    const same = sums.get(keyOf(value));
    sums.set(keyOf(value), same ? { ...value, value: same.value + value.value } : value);
  }
  return [...sums.values()];
}
