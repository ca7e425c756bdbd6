import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { OperatorLog } from '@latchkey/shared/log';
import type { Announcements } from './announcements.ts';
import { PoolWorker, type WorkerEvents, type WorkerTask } from './pool-worker.ts';
import { RestartPause } from './restart-pause.ts';
import { startInTurn } from './start-in-turn.ts';

interface PoolOptions extends Pick<WorkerEvents, 'handlers'> {
  task: WorkerTask;
  /**
   * How many workers may be starting at a time. A start needs a core for a second, and the parent too: beside many starts it would
   * answer none of them in time.
   */
  startsAtOnce: number;
  log: OperatorLog;
  announcements: Announcements;
  onTotals: (id: number, totals: unknown) => void;
  onOutput: (id: number, text: Buffer) => void;
  onErrorOutput: (id: number, text: Buffer) => void;
  onEnd: (id: number) => void;
}

/**
 * How long a worker that is replaced answers on: each answer closes its connection, so only idle ones are left when it ends. Players
 * ask again within seconds.
 */
const rollDrainMs = 3_000;
/** A worker sends its figures every 2 s. One that is silent for half a minute is stuck, and connections are stuck with it. */
const silentCheckEveryMs = 5_000;
const silentChecksAtMost = 6;

/** Where a worker finds the log that it shares with the others: after the three usual descriptors and the channel. */
export const sharedLogFd = 4;

/**
 * A worker inherits no descriptor as its 0, 1 or 2. The system's start of a process sets those to block, for all processes that share them (libuv's
 * `uv__process_child_init`). A reader of the log that stops would then stop every worker.
 */
function stdioOf({ logFd }: WorkerTask): ('ignore' | 'pipe' | 'ipc' | number)[] {
  return ['ignore', 'pipe', 'pipe', 'ipc', ...(logFd === null ? [] : [process.stdout.fd])];
}

/** The workers of a single node. One that ends by itself is replaced. */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #workers = new Set<PoolWorker>();
  readonly #checking: NodeJS.Timeout;
  readonly #pause = new RestartPause();
  #hasStarted = false;
  #isEnding = false;
  #rolling: Promise<boolean> | null = null;
  #isRollWanted = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    cluster.setupPrimary({
      exec: fileURLToPath(new URL('main.ts', import.meta.url)),
      args: [],
      stdio: stdioOf(options.task),
    });
    this.#checking = setInterval(() => this.#endSilent(), silentCheckEveryMs);
    this.#checking.unref();
  }

  /** Resolves with the port once every worker serves. Rejects if one ends before. */
  async start(): Promise<number> {
    const { task, startsAtOnce } = this.#options;
    const ports = await startInTurn(task.count, startsAtOnce, () => this.#fork().serving);
    this.#hasStarted = true;
    // One may have ended since it began to serve.
    this.#refill();
    return ports[0] ?? 0;
  }

  /** The workers that serve. */
  all(): PoolWorker[] {
    return [...this.#workers].filter(({ isServing }) => isServing);
  }

  /** Each worker reports not ready, and serves on. */
  drain(): void {
    for (const worker of this.#workers) worker.drain();
  }

  /**
   * Replaces one worker after the other. Each new one serves before an old one stops. Calls during a round share it.
   *
   * @returns whether every worker was replaced
   */
  roll(): Promise<boolean> {
    this.#isRollWanted = true;
    this.#rolling ??= this.#rollWhileWanted().finally(() => {
      this.#rolling = null;
    });
    return this.#rolling;
  }

  /** A call while workers are replaced has all of them replaced once more: the first ones may have read the configuration before. */
  async #rollWhileWanted(): Promise<boolean> {
    let isDone = false;
    while (this.#isRollWanted) {
      this.#isRollWanted = false;
      isDone = await this.#rollAll();
    }
    return isDone;
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    clearInterval(this.#checking);
    await Promise.all([...this.#workers].map((worker) => worker.end(0)));
  }

  #fork(): PoolWorker {
    const { task, log, announcements, handlers, onTotals, onOutput, onErrorOutput } = this.#options;
    const worker: PoolWorker = new PoolWorker(task, {
      handlers,
      onBegin: (send) => announcements.add(worker.id, send),
      onApplied: (number) => announcements.noteApplied(worker.id, number),
      onServing: () => {
        log.info(`worker ${worker.pid} serves`);
        if (this.#hasStarted) this.#refill();
      },
      onTotals: (totals) => onTotals(worker.id, totals),
      onOutput: (text) => onOutput(worker.id, text),
      onErrorOutput: (text) => onErrorOutput(worker.id, text),
      onDisconnect: () => announcements.remove(worker.id),
    });
    this.#workers.add(worker);
    void worker.ended.then(() => this.#forget(worker));
    return worker;
  }

  #forget(worker: PoolWorker): void {
    const { log, announcements, onEnd } = this.#options;
    this.#workers.delete(worker);
    announcements.remove(worker.id);
    onEnd(worker.id);
    if (worker.isEnding || this.#isEnding || !this.#hasStarted) return;
    const livedMs = performance.now() - worker.startedAtMs;
    const serving = this.all().length;
    const pauseMs = this.#pause.next(livedMs, serving);
    const meanwhile = serving > 0 ? 'the others serve on' : 'no key is served until then';
    log.error(
      `worker ${worker.pid} ended by itself (${worker.fate}): its open requests are lost. ` +
        `Another one starts in ${pauseMs} ms: ${meanwhile}`,
    );
    setTimeout(() => this.#refill(), pauseMs).unref();
  }

  #refill(): void {
    const { task, startsAtOnce } = this.#options;
    const staying = [...this.#workers].filter(({ isEnding }) => !isEnding);
    const missing = task.count - staying.length;
    const starting = staying.filter(({ isServing }) => !isServing).length;
    for (let n = 0; n < Math.min(missing, startsAtOnce - starting) && !this.#isEnding; n++) this.#fork();
  }

  /** Counted in checks, not by the clock: a parent that was itself stopped has messages to read first. */
  #endSilent(): void {
    for (const worker of this.#workers) {
      if (!worker.isServing || worker.silentChecks++ < silentChecksAtMost) continue;
      this.#options.log.error(`worker ${worker.pid} does not react any more and is ended`);
      worker.kill();
    }
  }

  async #rollAll(): Promise<boolean> {
    const { log } = this.#options;
    for (const old of [...this.#workers]) {
      if (this.#isEnding) return false;
      try {
        await this.#fork().serving;
      } catch (error) {
        log.error('a new worker does not start, so the old ones stay', { error });
        return false;
      }
      // It may have ended by itself meanwhile, and the new one then takes its place.
      if (this.#workers.has(old)) await old.end(rollDrainMs);
      this.#refill();
    }
    log.info('every worker was replaced');
    return true;
  }
}
