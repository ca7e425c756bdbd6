import { collectDefaultMetrics, type Registry } from 'prom-client';

type Aggregator = 'sum' | 'max' | 'min';

/** Gauges whose names end in `_total`, which is for counters. The same numbers are in metrics without that ending, by type. */
const misnamed = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
];

/**
 * How figures of several workers become one, where prom-client adds, averages or omits them: one slow worker is what an operator has to
 * see, and the node started with its first process. Each process has its own limit of open files.
 */
const joined: Readonly<Record<string, Aggregator>> = {
  process_start_time_seconds: 'min',
  process_open_fds: 'max',
  process_max_fds: 'min',
  nodejs_eventloop_lag_seconds: 'max',
  nodejs_eventloop_lag_p50_seconds: 'max',
  nodejs_eventloop_lag_p90_seconds: 'max',
  nodejs_eventloop_lag_p99_seconds: 'max',
};

/**
 * How often the delay of the event loop is looked at, which is in each figure of it. With the 10 ms of prom-client a process without requests
 * spends a quarter of its processor time on that; delays that matter are above 100 ms (`docs/metrics.md`).
 */
const delayEveryMs = 20;

/** Adds the figures of the process and of Node. */
export function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: delayEveryMs });
  for (const name of misnamed) registry.removeSingleMetric(name);
  for (const [name, aggregator] of Object.entries(joined)) {
    const metric = registry.getSingleMetric(name);
    // A system without /proc has no open files to count.
    if (metric) Object.assign(metric, { aggregator });
  }
}
