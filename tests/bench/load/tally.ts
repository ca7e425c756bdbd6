import { quantile } from '../quantile.ts';
import type { LatencyMs } from './order.ts';
import type { Asked } from './viewer-socket.ts';

/** The outcomes of the requests of one group of viewers. */
export interface Tally {
  add(asked: Asked): void;
  latency(): LatencyMs;
  statuses(): Record<string, number>;
  /** When the last request was sent that got a key; null if no request did. */
  lastServedSentAtMs(): number | null;
}

/** A request without an answer is counted and has no latency: that would be the patience of the load generator. */
export function createTally(): Tally {
  const latenciesMs: number[] = [];
  const counts = new Map<string, number>();
  let lastServedSentAtMs: number | null = null;
  return {
    add({ wantedAtMs, sentAtMs, endedAtMs, outcome }) {
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      if (!/^\d/.test(outcome)) return;
      latenciesMs.push(endedAtMs - wantedAtMs);
      if (outcome === '200') lastServedSentAtMs = Math.max(lastServedSentAtMs ?? 0, sentAtMs);
    },
    latency() {
      const sorted = Float64Array.from(latenciesMs).sort();
      return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: quantile(sorted, 1) };
    },
    statuses: () => Object.fromEntries([...counts].sort()),
    lastServedSentAtMs: () => lastServedSentAtMs,
  };
}
