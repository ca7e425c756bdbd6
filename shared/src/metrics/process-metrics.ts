import { collectDefaultMetrics, type Registry } from 'prom-client';

/** Gauges whose names end in `_total`, which is for counters. The same numbers are in metrics without that ending, by type. */
const misnamed = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
];

/**
 * How often the delay of the event loop is looked at, which is in each figure of it. With the 10 ms of prom-client a process without requests
 * spends a quarter of its processor time on that; delays that matter are above 100 ms (`docs/reference/metrics.md`).
 */
const delayEveryMs = 20;

/** Adds the figures of the process and of Node. */
export function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: delayEveryMs });
  for (const name of misnamed) registry.removeSingleMetric(name);
}
