import { Worker } from 'node:worker_threads';

/** Messages to the thread, and its answers in the same order. */
export interface AsideRequest {
  work: 'read' | 'write' | 'checkpoint';
  sql: string;
  parameters: readonly unknown[];
}
/** The result of a write. */
export interface AsideWrite {
  changes: number;
  heldMs: number;
}
export type AsideAnswer = { result: unknown } | { fault: { message: string; code: string } };

interface Thread {
  worker: Worker;
  /** The callers, in the order of their messages. */
  waiting: { resolve(result: unknown): void; reject(error: Error): void }[];
}

export type SqliteAside = ReturnType<typeof createSqliteAside>;

/**
 * Works on a SQLite file on a separate thread, at the same time as the connection of the process. Calls take turns.
 *
 * The first call starts the thread, because most installations never need one. The first call after its end starts it
 * again. It takes some 10 MB.
 */
export function createSqliteAside(path: string) {
  let longestHeldMs = 0;
  let thread: Thread | null = null;
  let ownWrite: Promise<unknown> | null = null;
  let isClosed = false;

  function start(): Thread {
    const worker = new Worker(new URL('./sqlite-aside-thread.ts', import.meta.url), {
      workerData: { path },
      // Debuggers and loaders of the process are not meant for it.
      execArgv: [],
    });
    const started: Thread = { worker, waiting: [] };
    const end = (reason: string) => {
      if (thread === started) thread = null;
      const fault = withCode(`work on the database was broken off: ${reason}`, 'SQLITE_IOERR');
      for (const { reject } of started.waiting.splice(0)) reject(fault);
    };
    worker.on('message', (answer: AsideAnswer) => settle(started, answer));
    worker.once('error', (error) => end(String(error)));
    worker.once('exit', () => end('its thread ended'));
    return started;
  }

  function call(work: AsideRequest['work'], sql: string, parameters: readonly unknown[]): Promise<unknown> {
    if (isClosed) return Promise.reject(new Error('The database connection is not open'));
    thread ??= start();
    const { worker, waiting } = thread;
    worker.ref();
    return new Promise((resolve, reject) => {
      worker.postMessage({ work, sql, parameters } satisfies AsideRequest);
      waiting.push({ resolve, reject });
    });
  }

  return {
    /** @throws what SQLite throws, with its code; SQLITE_IOERR where the thread ended */
    read: async (sql: string, parameters: readonly unknown[]) =>
      (await call('read', sql, parameters)) as unknown[],
    /**
     * Runs one statement as a transaction of its own, whose commit does not wait for the disk. It does not wait for another
     * process's write.
     *
     * @returns the number of rows that it changed
     * @throws as `read`; SQLITE_BUSY at once while another connection writes
     */
    async write(sql: string, parameters: readonly unknown[]): Promise<number> {
      const answer = call('write', sql, parameters);
      const settled = answer.catch(() => {});
      ownWrite = settled;
      try {
        const { changes, heldMs } = (await answer) as AsideWrite;
        longestHeldMs = Math.max(longestHeldMs, heldMs);
        return changes;
      } finally {
        if (ownWrite === settled) ownWrite = null;
      }
    },
    /** The longest that a write has held the lock of the file since the last call, in milliseconds. */
    takeHeldMs(): number {
      const takenMs = longestHeldMs;
      longestHeldMs = 0;
      return takenMs;
    },
    /** The last write that was passed on and has not been answered; null if there is none. Never rejects. */
    ownWrite: () => ownWrite,
    /** Copies what the write-ahead log holds into the file. Reads and writes of other connections go on meanwhile. */
    checkpoint: async () => void (await call('checkpoint', '', [])),
    async close(): Promise<void> {
      isClosed = true;
      await thread?.worker.terminate();
    },
  };
}

function settle({ worker, waiting }: Thread, answer: AsideAnswer): void {
  const { resolve, reject } = waiting.shift() ?? {};
  // A thread that waits for the next call must not keep the process alive.
  if (waiting.length === 0) worker.unref();
  if ('result' in answer) resolve?.(answer.result);
  else reject?.(withCode(answer.fault.message, answer.fault.code));
}

function withCode(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}
