import { Histogram, type Registry } from 'prom-client';
import { addGauge, describeMetric } from './define-metrics.ts';

/** From an HSM in the machine to the 2 s after which a call counts as failed. */
const bucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export type CustodianMetrics = ReturnType<typeof addCustodianMetrics>;

/** Measures the calls of the provider of the master key. */
export function addCustodianMetrics(registry: Registry) {
  const durations = new Histogram({
    ...describeMetric('latchkey_master_key_call_duration_seconds', registry),
    buckets: bucketsSeconds,
  });
  const watched: { state(): { waiting: number } }[] = [];
  addGauge(registry, 'latchkey_master_key_calls_waiting', () =>
    watched.reduce((sum, calls) => sum + calls.state().waiting, 0),
  );
  return {
    /**
     * @param purpose `key`, or `check` for a call that only checks that the provider answers
     * @param outcome `answered`, or why not
     */
    observeCall(purpose: 'key' | 'check', outcome: string, seconds: number): void {
      durations.observe({ purpose, outcome }, seconds);
    },
    /** Exports how many calls wait. */
    watch: (calls: (typeof watched)[number]) => void watched.push(calls),
  };
}
