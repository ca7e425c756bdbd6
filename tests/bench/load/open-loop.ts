import { createConnection, type Socket } from 'node:net';
import { quantile } from '../quantile.ts';
import { createAnswerCounter, readBytes } from './answer-counter.ts';
import { keepPolling } from './keep-polling.ts';
import { openSource, type RequestSource } from './request-source.ts';

/** One part of a run, at one rate. */
interface LoadPhase {
  ratePerSecond: number;
  seconds: number;
  /** Answers to requests that were wanted earlier in the phase do not count. */
  settleSeconds: number;
}

export interface OpenLoopOrder {
  port: number;
  source: RequestSource;
  /** Each sends one request at a time. With fewer than wait for an answer at once, requests also wait for a connection. */
  connections: number;
  phases: LoadPhase[];
  /** How long a request waits for a free connection. Then its viewer gives up, and it is not sent. */
  patienceMs: number;
  /** Whether it polls without a pause. It must have a core of its own then. */
  neverSleeps: boolean;
}

export interface PhaseResult {
  /** Requests by the status of their answer, those within 50 ms of the moment at which they were due, and their latency in milliseconds. */
  byStatus: Record<string, { count: number; inTime: number; p50Ms: number; p99Ms: number }>;
  /** How long requests were counted. */
  seconds: number;
  /** From the beginning of the phase until the last request was wanted whose answer was no success; null if there was none. */
  lastRefusedMs: number | null;
  /** The same for the last request that waited longer than 50 ms. */
  lastLateMs: number | null;
}

export interface OpenLoopResult {
  phases: PhaseResult[];
  /** The load generator's own CPU time, as a share of one core. Near 1 if it never sleeps. */
  ownCpuShare: number;
}

/** What the goals allow a refusal to take, and far above a usual answer. */
const lateMs = 50;
/** After the last phase. */
const lastAnswerMs = 10_000;
/** Below the backlog of a listening socket (511 in Node). */
const connectedAtOnce = 100;

/** The requests of one phase. */
interface Ended {
  wantedMs: number[];
  tookMs: number[];
  status: number[];
}

/**
 * Requests at even distances, whether or not earlier ones have their answer, as those of independent viewers. Each waits from the
 * moment at which it was due.
 *
 * @throws Error if a connection breaks or an answer does not come
 */
export async function runOpenLoop(order: OpenLoopOrder): Promise<OpenLoopResult> {
  const next = openSource(order.source);
  const ended: Ended[] = order.phases.map(() => ({ wantedMs: [], tookMs: [], status: [] }));
  const free = new Queue<Line>();
  let failed: Error | null = null;
  const onAnswer = (line: Line, status: number) => {
    const { wantedMs, tookMs, status: statuses } = ended[line.phase] as Ended;
    wantedMs.push(line.wantedMs);
    tookMs.push(performance.now() - line.wantedMs);
    statuses.push(status);
    free.push(line);
  };
  const onFault = (error: Error) => {
    failed ??= error;
  };
  const all: Line[] = [];
  while (all.length < order.connections) {
    const some = Array.from({ length: Math.min(connectedAtOnce, order.connections - all.length) }, () =>
      openLine(order.port, onAnswer, onFault),
    );
    all.push(...(await Promise.all(some)));
  }
  for (const line of all) free.push(line);
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const begins = await sendAll(order, free, next, () => failed);
  const { user, system } = process.cpuUsage(cpuBefore);
  const ownCpuShare = (user + system) / 1e3 / (performance.now() - startedMs);
  await untilAnswered(free, all.length, () => failed);
  for (const { socket } of all) socket.destroy();
  const phases = order.phases.map((phase, n) => summarize(ended[n] as Ended, phase, begins[n] as number));
  return { phases, ownCpuShare };
}

/** First in, first out: every connection takes its turn. */
class Queue<T> {
  readonly #items = new Map<number, T>();
  #first = 0;
  #next = 0;

  get length(): number {
    return this.#next - this.#first;
  }

  push(item: T): void {
    this.#items.set(this.#next++, item);
  }

  take(): T | undefined {
    const item = this.#items.get(this.#first);
    this.#items.delete(this.#first++);
    return item;
  }
}

/** A connection, and the request that it has sent. */
interface Line {
  socket: Socket;
  phase: number;
  wantedMs: number;
}

function openLine(
  port: number,
  onAnswer: (line: Line, status: number) => void,
  onFault: (error: Error) => void,
): Promise<Line> {
  const read = createAnswerCounter();
  const onRead = (length: number, buffer: Buffer) => {
    const status = read(length, buffer);
    if (status !== null) onAnswer(line, status);
    return true;
  };
  const socket = createConnection({
    host: '127.0.0.1',
    port,
    noDelay: true,
    onread: {
      buffer: Buffer.alloc(readBytes),
      callback: onRead as (length: number, buffer: Uint8Array) => boolean,
    },
  });
  const line: Line = { socket, phase: 0, wantedMs: 0 };
  socket.on('error', onFault);
  socket.on('end', () => onFault(new Error('the server closed a connection')));
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(line));
    socket.once('error', reject);
  });
}

/** @returns when each phase began */
function sendAll(
  { phases, patienceMs, neverSleeps }: OpenLoopOrder,
  free: Queue<Line>,
  next: () => Buffer,
  failure: () => Error | null,
): Promise<number[]> {
  const begins: number[] = [];
  let at = performance.now();
  for (const { seconds } of phases) {
    begins.push(at);
    at += seconds * 1_000;
  }
  let phase = 0;
  let sent = 0;
  return new Promise((resolve, reject) => {
    const stop = (neverSleeps ? keepPolling : everyMillisecond)(() => {
      const error = failure();
      if (error) {
        stop();
        return reject(error);
      }
      for (; phase < phases.length; phase++, sent = 0) {
        const { ratePerSecond, seconds } = phases[phase] as LoadPhase;
        const beganMs = begins[phase] as number;
        const elapsedMs = performance.now() - beganMs;
        const due = Math.min(seconds, elapsedMs / 1_000) * ratePerSecond;
        sent = Math.max(sent, Math.min(due, Math.floor(((elapsedMs - patienceMs) / 1_000) * ratePerSecond)));
        for (; sent + 1 <= due && free.length > 0; sent++) {
          const line = free.take() as Line;
          line.phase = phase;
          line.wantedMs = beganMs + (sent * 1_000) / ratePerSecond;
          line.socket.write(next());
        }
        if (sent + 1 <= Math.floor(seconds * ratePerSecond)) return;
      }
      stop();
      resolve(begins);
    });
  });
}

function everyMillisecond(onTurn: () => void): () => void {
  const timer = setInterval(onTurn, 1);
  return () => clearInterval(timer);
}

async function untilAnswered(free: Queue<Line>, all: number, failure: () => Error | null): Promise<void> {
  const limitMs = performance.now() + lastAnswerMs;
  while (free.length < all) {
    const error = failure() ?? (performance.now() > limitMs ? new Error('an answer did not come') : null);
    if (error) throw error;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function summarize(ended: Ended, phase: LoadPhase, beganMs: number): PhaseResult {
  const { wantedMs, tookMs, status } = ended;
  const countsFromMs = beganMs + phase.settleSeconds * 1_000;
  const byStatus: PhaseResult['byStatus'] = {};
  for (const one of new Set(status)) {
    const sorted = Float64Array.from(
      tookMs.filter((_, n) => status[n] === one && (wantedMs[n] as number) >= countsFromMs),
    ).sort();
    // A status that came before the count began only.
    if (sorted.length === 0) continue;
    const inTime = sorted.filter((took) => took <= lateMs).length;
    byStatus[one] = {
      count: sorted.length,
      inTime,
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
    };
  }
  const last = (is: (n: number) => boolean) => {
    const times = wantedMs.filter((_, n) => is(n));
    return times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b)) - beganMs;
  };
  return {
    byStatus,
    seconds: phase.seconds - phase.settleSeconds,
    lastRefusedMs: last((n) => (status[n] as number) >= 300),
    lastLateMs: last((n) => (tookMs[n] as number) > lateMs),
  };
}
