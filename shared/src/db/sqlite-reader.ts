import { Worker } from 'node:worker_threads';

/** Reads a SQLite file on a separate thread, beside the connection of the process. */
export interface SqliteReader {
  /** @throws what SQLite throws, with its code; SQLITE_IOERR where the thread ended */
  read(sql: string, parameters: readonly unknown[]): Promise<unknown[]>;
  close(): Promise<void>;
}

/** Messages to the thread and its answers. */
export interface ReadRequest {
  id: number;
  sql: string;
  parameters: readonly unknown[];
}
export type ReadAnswer =
  | { id: number; rows: unknown[] }
  | { id: number; fault: { message: string; code: string } };

interface Waiting {
  resolve(rows: unknown[]): void;
  reject(error: Error): void;
}

/**
 * The first read starts the thread, because most installations never need one. The first read after its end starts it
 * again. It takes some 10 MB. Reads take turns on it.
 */
export function createSqliteReader(path: string): SqliteReader {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | null = null;
  let lastId = 0;
  let isClosed = false;

  function start(): Worker {
    const started = new Worker(new URL('./sqlite-reader-thread.ts', import.meta.url), {
      workerData: { path },
      // Debuggers and loaders of the process are not meant for it.
      execArgv: [],
    });
    const end = (reason: string) => {
      if (thread === started) thread = null;
      failAll(reason);
    };
    started.on('message', (answer: ReadAnswer) => settle(started, answer));
    started.once('error', (error) => end(String(error)));
    started.once('exit', () => end('its thread ended'));
    return started;
  }

  function settle(from: Worker, answer: ReadAnswer): void {
    const { resolve, reject } = waiting.get(answer.id) ?? {};
    waiting.delete(answer.id);
    // A thread that waits for the next read must not keep the process alive.
    if (waiting.size === 0) from.unref();
    if ('rows' in answer) resolve?.(answer.rows);
    else reject?.(withCode(answer.fault.message, answer.fault.code));
  }

  function failAll(reason: string): void {
    for (const { reject } of waiting.values())
      reject(withCode(`the read was broken off: ${reason}`, 'SQLITE_IOERR'));
    waiting.clear();
  }

  return {
    read(sql, parameters) {
      if (isClosed) return Promise.reject(new Error('The database connection is not open'));
      thread ??= start();
      thread.ref();
      const id = ++lastId;
      const answer = new Promise<unknown[]>((resolve, reject) => waiting.set(id, { resolve, reject }));
      thread.postMessage({ id, sql, parameters } satisfies ReadRequest);
      return answer;
    },
    async close() {
      isClosed = true;
      await thread?.terminate();
    },
  };
}

function withCode(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}
