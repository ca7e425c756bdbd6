import { createConnection, type Socket } from 'node:net';
import { quantile } from '../quantile.ts';
import { AnswerReader } from './answer-reader.ts';
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

/**
 * Keeps the event loop polling instead of waiting. Waking a process takes the server some 5 µs of its own time in a virtual machine, and
 * the more often the slower the server is, because a load generator with little to do sleeps more. Clients on other machines cost no
 * server that.
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

/** Answers have some 300 bytes. A longer one comes in parts. */
const readBytes = 4_096;
/** Where the digits of the status of an answer are: after `HTTP/1.1 `. */
const statusAt = 9;
/** Of the digit 0 in ASCII, as part of a number of three digits. */
const zeros = 111 * 48;

/**
 * Reads answers to single requests. A chunk with the length and the status of the answer before is one answer: reading each head
 * in full would take a third of the load generator's time.
 *
 * @returns for the first bytes of a buffer the status of the answer that ends in them; null if none does
 */
function createAnswerCounter(): (length: number, buffer: Buffer) => number | null {
  const reader = new AnswerReader();
  let known = { length: 0, status: 0 };
  let isWhole = true;
  const statusOf = (buffer: Buffer) =>
    (buffer[statusAt] ?? 0) * 100 + (buffer[statusAt + 1] ?? 0) * 10 + (buffer[statusAt + 2] ?? 0) - zeros;
  return (length, buffer) => {
    const status = statusOf(buffer);
    if (isWhole && length === known.length && status === known.status) return status;
    // The buffer is used again for the next answer, and the reader keeps what is not whole.
    const [read] = reader.push(Buffer.from(buffer.subarray(0, length)));
    if (read !== undefined && isWhole) known = { length, status };
    isWhole = read !== undefined;
    return read ?? null;
  };
}
