import { createHistogram } from 'node:perf_hooks';
import autocannon, { type Request, type Result } from 'autocannon';

export interface Load {
  url: string;
  connections: number;
  seconds: number;
  /** The requests that a connection repeats in turn, each as soon as the previous one is answered. */
  requestsOf: (connection: number, connections: number) => Request[];
  /** Requests a second of each connection. Default: no limit. */
  connectionRate?: number;
  /** Whether 503 is accepted: viewers ask again. */
  mayRefuse?: boolean;
  /** Whether this process polls without a pause. It must have a core of its own then. */
  polls?: boolean;
}

export interface LoadResult {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
}

/** How often autocannon checks whether the time is over. Its default is a second, which is a third of a run. */
const sampleMs = 50;
/** Longer than any server's limit for an answer. */
const answerLimitSeconds = 30;

/**
 * Loads a server from this process with autocannon, over keep-alive connections.
 *
 * @throws Error if an answer is not a success, or does not come
 */
export async function runLoad({
  requestsOf,
  polls,
  mayRefuse,
  seconds,
  ...options
}: Load): Promise<LoadResult> {
  const { url, connections } = options;
  // The histogram of autocannon counts whole milliseconds, and an answer takes one or two.
  const micros = createHistogram();
  let opened = 0;
  const stopPolling = polls ? keepPolling() : () => {};
  const startedAtMs = performance.now();
  const { errors, non2xx, statusCodeStats } = await new Promise<Result>((resolve, reject) => {
    const run = autocannon(
      {
        ...options,
        duration: seconds,
        sampleInt: sampleMs,
        timeout: answerLimitSeconds,
        setupClient: (client) => client.setRequests(requestsOf(opened++, connections)),
      },
      (error, result) => (error ? reject(error) : resolve(result)),
    );
    run.on('response', (_client, _status, _bytes, ms) => micros.record(Math.max(1, Math.round(ms * 1_000))));
  });
  stopPolling();
  if (errors > 0 || (non2xx > 0 && !mayRefuse) || micros.count === 0) {
    const statuses = JSON.stringify(statusCodeStats);
    throw new Error(`${url} did not serve every request: ${errors} without an answer, others ${statuses}`);
  }
  return {
    requests: micros.count,
    seconds: (performance.now() - startedAtMs) / 1_000,
    p50Ms: micros.percentile(50) / 1_000,
    p99Ms: micros.percentile(99) / 1_000,
  };
}

/**
 * Keeps the event loop from sleeping. In a virtual machine the server would spend some 5 µs for each answer that wakes this process, a
 * fifth of a key request, and slow servers more, because load with little to do sleeps more. Clients on other machines cost no server that.
 */
function keepPolling(): () => void {
  let isOver = false;
  const turn = () => {
    if (!isOver) setImmediate(turn);
  };
  turn();
  return () => {
    isOver = true;
  };
}
