import { createConnection, type Socket } from 'node:net';
import { quantile } from '../quantile.ts';
import { createAnswerCounter, readBytes } from './answer-counter.ts';
import { keepPolling } from './keep-polling.ts';
import { openSource, type RequestSource } from './request-source.ts';

export interface ClosedLoopOrder {
  port: number;
  source: RequestSource;
  connections: number;
  seconds: number;
  /** Whether it polls without a pause. It must have a core of its own then. */
  neverSleeps: boolean;
}

export interface ClosedLoopResult {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers by status. */
  statuses: Record<string, number>;
  /** The load generator's own CPU time, as a share of one core. Near 1 it was the slowest part. */
  ownCpuShare: number;
}

/** Longer than any server's limit for an answer. */
const answerLimitMs = 30_000;

/**
 * Keep-alive connections that each send their next request as soon as the previous one is answered. Ends when the time is over
 * and every request has its answer.
 *
 * @throws Error if a connection breaks or an answer does not come
 */
export async function runClosedLoop(order: ClosedLoopOrder): Promise<ClosedLoopResult> {
  const next = openSource(order.source);
  const latenciesMs: number[] = [];
  const statuses: Record<string, number> = {};
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  const endAtMs = startedAtMs + order.seconds * 1_000;
  const stopPolling = order.neverSleeps ? keepPolling() : () => {};
  const onAnswer = (status: number, latencyMs: number) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    latenciesMs.push(latencyMs);
  };
  await Promise.all(
    Array.from({ length: order.connections }, () => keepAsking(order.port, next, endAtMs, onAnswer)),
  );
  stopPolling();
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const sorted = Float64Array.from(latenciesMs).sort();
  return {
    requests: sorted.length,
    seconds,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    statuses,
    ownCpuShare: (user + system) / 1e6 / seconds,
  };
}

function keepAsking(
  port: number,
  next: () => Buffer,
  endAtMs: number,
  onAnswer: (status: number, latencyMs: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const read = createAnswerCounter();
    let sentAtMs = 0;
    const send = () => {
      sentAtMs = performance.now();
      socket.write(next());
    };
    const onRead = (length: number, buffer: Buffer) => {
      const status = read(length, buffer);
      if (status === null) return true;
      const now = performance.now();
      onAnswer(status, now - sentAtMs);
      if (now < endAtMs) send();
      else socket.end();
      return true;
    };
    const socket: Socket = createConnection({
      host: '127.0.0.1',
      port,
      noDelay: true,
      // Into one buffer each time, which takes less than a stream of new ones.
      onread: {
        buffer: Buffer.alloc(readBytes),
        callback: onRead as (length: number, buffer: Uint8Array) => boolean,
      },
    });
    const late = setTimeout(
      () => socket.destroy(new Error('an answer did not come')),
      endAtMs - performance.now() + answerLimitMs,
    );
    socket.once('connect', send);
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(late);
      reject(new Error('the server closed a connection'));
    });
    socket.once('end', () => resolve());
  });
}
