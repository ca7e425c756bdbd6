import type { LatencyMs } from '../load/order.ts';

/** The channel that all viewers watch. */
export interface Channel {
  contentId: string;
  /** Milliseconds since 1970 at which epoch 0 began. */
  originMs: number;
  periodSeconds: number;
}

/** Viewers who arrive at random moments; each connects, creates a lease and requests the current key. They stay connected. */
export interface JoinOrder {
  kind: 'join';
  url: string;
  viewers: number;
  overSeconds: number;
  tokenSecret: string;
  channel: Channel;
}

/** Each of the joined viewers requests the key of each of the next epochs. */
export interface CrossOrder {
  kind: 'cross';
  channel: Channel;
  periods: number;
  /** `ahead`: when our player fetches it. `together`: in the second in which the period begins. */
  mode: CrossMode;
}

export type CrossMode = 'ahead' | 'together';

export type EventOrder = JoinOrder | CrossOrder;

/** Requests of one kind. */
export interface Outcomes {
  latency: LatencyMs;
  /** Counts by status, or by `broken` and `unanswered`. */
  statuses: Record<string, number>;
}

export interface JoinResult {
  lease: Outcomes;
  /** From the answer with the lease on. */
  key: Outcomes;
  /** Of the viewers who arrived in the first second. */
  firstSecond: { lease: LatencyMs; key: LatencyMs };
  seconds: number;
  /** The load generator's own CPU time, as a share of one core. */
  ownCpuShare: number;
}

export interface CrossResult {
  key: Outcomes;
  /** Key requests in the busiest second, to the mean of a period. */
  stampedeFactor: number;
  ownCpuShare: number;
}
