import { Admission } from './admission.ts';
import type { Rank } from './request-rank.ts';

/** Requests that come for some time, in simulated milliseconds. */
export interface SimulatedLoad {
  ms: number;
  /** Requests a second, to what the server can serve. */
  factor: number;
}

export interface SimulatedServer {
  /** Time that a served and a refused request take. */
  costMs: number;
  refusalMs: number;
  targetMs: number;
  /** Times at which the process stands still, and for how long. */
  pauses?: readonly { atMs: number; ms: number }[];
  /** Requests that can wait at a time: each client has one. */
  clients?: number;
  /** Of the nth request. */
  rankOf?: (n: number) => Rank;
  seed?: number;
}

/** One simulated request. */
export interface SimulatedRequest {
  n: number;
  atMs: number;
  tookMs: number;
  isServed: boolean;
}

/** The same numbers for the same seed (Numerical Recipes' generator). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * A process with one event loop: each turn reads what has come, and answers one request after the other. Requests come at random, as from
 * independent viewers.
 */
export function simulateOverload(
  loads: readonly SimulatedLoad[],
  {
    costMs,
    refusalMs,
    targetMs,
    pauses = [],
    clients = Number.POSITIVE_INFINITY,
    rankOf,
    seed = 1,
  }: SimulatedServer,
): SimulatedRequest[] {
  const random = createRandom(seed);
  let idleMs = 0;
  const admission = new Admission<number>({
    targetMs,
    random,
    rankOf: rankOf ?? (() => 'usual'),
    idleMs: () => idleMs,
    onChange: () => {},
  });
  const arrivals = arrivalsOf(loads, costMs, random);
  const still = [...pauses];
  const ended: SimulatedRequest[] = [];
  let nowMs = 0;
  let next = 0;
  const run = (ms: number) => {
    nowMs += ms;
    if (still[0] && nowMs >= still[0].atMs) nowMs += (still.shift() as { ms: number }).ms;
  };
  while (next < arrivals.length) {
    idleMs += Math.max(0, (arrivals[next] as number) - nowMs);
    nowMs = Math.max(nowMs, arrivals[next] as number);
    const first = next;
    while (next < arrivals.length && (arrivals[next] as number) <= nowMs) next++;
    // A client that waits sends nothing else meanwhile.
    for (let n = first; n < Math.min(next, first + clients); n++) {
      const isServed = admission.admits(nowMs, n);
      // Requests differ.
      run((isServed ? costMs : refusalMs) * (0.7 + 0.6 * random()));
      const atMs = arrivals[n] as number;
      ended.push({ n, atMs, tookMs: nowMs - atMs, isServed });
    }
    admission.endTurn(nowMs);
    run(0.005);
  }
  return ended;
}

function arrivalsOf(loads: readonly SimulatedLoad[], costMs: number, random: () => number): number[] {
  const arrivals: number[] = [];
  let fromMs = 0;
  for (const { ms, factor } of loads) {
    let atMs = fromMs;
    for (;;) {
      atMs += (-Math.log(1 - random()) * costMs) / factor;
      if (atMs > fromMs + ms) break;
      arrivals.push(atMs);
    }
    fromMs += ms;
  }
  return arrivals;
}

/** What became of the requests that came in a part of the simulated time. */
export function summarizeSimulation(requests: readonly SimulatedRequest[], fromMs: number, toMs: number) {
  const some = requests.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  const p99 = (isServed: boolean) => {
    const sorted = some.filter((one) => one.isServed === isServed).map(({ tookMs }) => tookMs);
    sorted.sort((a, b) => a - b);
    return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
  };
  const served = some.filter(({ isServed }) => isServed).length;
  return {
    refused: some.length - served,
    servedPerSecond: (served * 1_000) / (toMs - fromMs),
    servedP99Ms: p99(true),
    refusedP99Ms: p99(false),
  };
}
