import type { Population } from '../population.ts';

/** Viewers, each with a connection of its own. */
export interface OpenOrder {
  /** Base URLs; viewers take turns. */
  urls: string[];
  viewers: number;
  population: Population;
  /** Whether each names its lease. */
  namesLease: boolean;
  tokenSecret: string;
  /** For requests that do not come through the gateway. */
  internalSecret?: string;
}

/** Requests at even distances. The viewers take turns. */
export interface RunOrder {
  requests: number;
  /** Of all viewers together. */
  ratePerSecond: number;
  /** Whether requests are sent one by one, never two at once. Answers are then read a little late. */
  apart?: boolean;
}

export interface LatencyMs {
  p50: number;
  p99: number;
  max: number;
}

export interface RunResult {
  requests: number;
  seconds: number;
  /** Of answered requests, from the instant at which a viewer wanted a key. Without viewers of the popular content. */
  latency: LatencyMs;
  popularLatency: LatencyMs;
  /** Counts by status or by `broken` and `unanswered`. Without viewers of the popular content. */
  statuses: Record<string, number>;
  popularStatuses: Record<string, number>;
  /** When the last request was sent that got a key of the popular content, on the clock of `monotonicMs`. */
  lastPopularServedSentAtMs: number | null;
  /** The load generator's own CPU time, as a share of one core. */
  ownCpuShare: number;
}

export type Order = ({ kind: 'open' } & OpenOrder) | ({ kind: 'run' } & RunOrder) | { kind: 'close' };

export type Answer = { result: unknown } | { error: string };

/** Milliseconds on a clock that all processes of the machine share (CLOCK_MONOTONIC). */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
