import cluster, { type Worker } from 'node:cluster';
import { type Calls, createCalls, type Message } from './calls.ts';

/** What each worker is started with. */
export interface WorkerTask {
  /** Of the parent's internal listener. */
  parentUrl: string;
  /** Authenticates the workers to it. */
  secret: string;
  /** How many workers there are; they share the memory. */
  count: number;
  /** The file descriptor of the log that all of them write to. Null: their lines go through the parent, by standard output. */
  logFd: number | null;
  /** The form of the operator's log. */
  logFormat: 'plain' | 'json';
}

export interface WorkerEvents {
  /** What the worker may call. */
  handlers: Readonly<Record<string, (argument: never) => unknown>>;
  /** It is about to listen. From here on, answers wait until it has applied what they changed. */
  onBegin: (send: (message: Message) => void) => void;
  /** It has applied the announcements up to this number. */
  onApplied: (number: number) => void;
  onServing: () => void;
  onTotals: (totals: unknown) => void;
  /** Its standard output, as it comes: request lines, where they go through the parent. */
  onOutput: (text: Buffer) => void;
  /** Its standard error, as it comes. */
  onErrorOutput: (text: Buffer) => void;
  /** Its channel is closed: it applies nothing any more. */
  onDisconnect: () => void;
}

/** A start takes a second; the rest is for a machine with ten times as much work as cores. */
const startLimitMs = 60_000;
/** Longer than the phases of a worker's shutdown together. */
const endLimitMs = 15_000;

/** One worker, from its start to its end. */
export class PoolWorker {
  readonly calls: Calls;
  readonly startedAtMs = performance.now();
  /** Resolves with its port once it serves. Rejects if it ends before, or takes too long. */
  readonly serving: Promise<number>;
  /** Resolves once the process has ended and its output was read. */
  readonly ended: Promise<void>;
  isServing = false;
  /** It was asked to end, so it is not replaced. */
  isEnding = false;
  /** Checks in a row before which it sent nothing. */
  silentChecks = 0;
  readonly #worker: Worker;

  constructor(task: WorkerTask, events: WorkerEvents) {
    const worker = cluster.fork();
    this.#worker = worker;
    const send = (message: Message) => this.#send(message);
    this.calls = createCalls(send, {
      ...events.handlers,
      begin: () => events.onBegin(send),
      drained: () => {},
    });
    this.ended = new Promise((resolve) => {
      // The channel may close before the output was read.
      worker.process.once('close', () => resolve());
      worker.process.once('error', () => resolve());
    });
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.serving = promise;
    // Callers that wait get the error. Nobody waits for a worker that replaces one which ended.
    promise.catch(() => {});
    const timer = setTimeout(() => this.kill(), startLimitMs);
    void this.ended.then(() => {
      clearTimeout(timer);
      this.calls.end();
      reject(new WorkerEnded(this.fate));
    });
    worker.process.stdout?.on('data', events.onOutput);
    worker.process.stderr?.on('data', events.onErrorOutput);
    worker.once('disconnect', events.onDisconnect);
    worker.on('message', (message: Message) => {
      this.silentChecks = 0;
      if (this.calls.receive(message)) return;
      if (message.type === 'applied') events.onApplied(Number(message.number));
      else if (message.type === 'totals') events.onTotals(message.totals);
      else if (message.type === 'serving') {
        clearTimeout(timer);
        this.isServing = true;
        events.onServing();
        resolve(Number(message.port));
      }
    });
    send({ type: 'task', ...task });
  }

  get id(): number {
    return this.#worker.id;
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  /** The signal or the exit code that it ended with. */
  get fate(): string {
    const { signalCode, exitCode } = this.#worker.process;
    return signalCode ?? `exit code ${exitCode}`;
  }

  /** It reports not ready, and serves on. */
  drain(): void {
    this.#send({ type: 'drain' });
  }

  /** @param drainMs how long it answers on before it closes */
  async end(drainMs: number): Promise<void> {
    this.isEnding = true;
    this.#send({ type: 'end', drainMs });
    const timer = setTimeout(() => this.kill(), drainMs + endLimitMs);
    await this.ended;
    clearTimeout(timer);
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  #send(message: Message): void {
    if (this.#worker.isConnected()) this.#worker.send(message, () => {});
  }
}

/** A worker ended before it served. */
class WorkerEnded extends Error {
  readonly forOperator = true;

  constructor(fate: string) {
    super(`A worker ended before it served (${fate}). If it wrote a reason, that is above.`);
  }
}
