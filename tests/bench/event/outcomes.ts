import type { LatencyMs } from '../load/order.ts';
import { quantile } from '../quantile.ts';
import type { Outcomes } from './event-order.ts';
import type { Ended } from './event-viewer.ts';

/** Counts every request. Those without an answer have no latency: it would be the patience of the load generator. */
export function summarize(all: readonly Ended[]): Outcomes {
  const statuses: Record<string, number> = {};
  for (const { outcome } of all) statuses[outcome] = (statuses[outcome] ?? 0) + 1;
  return { latency: latencyOf(all), statuses };
}

export function latencyOf(all: readonly Ended[]): LatencyMs {
  const answered = all.filter(({ outcome }) => /^\d/.test(outcome));
  const sorted = Float64Array.from(answered, ({ wantedAtMs, endedAtMs }) => endedAtMs - wantedAtMs).sort();
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: quantile(sorted, 1) };
}
