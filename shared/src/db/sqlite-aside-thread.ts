import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import type { AsideAnswer, AsideRequest, AsideWrite } from './sqlite-aside.ts';

// A thread of `createSqliteAside`.
const { path } = workerData as { path: string };
// A read may wait for the file, because no request runs on this thread.
const reading = new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: 2_000 });
let writing: SqliteDatabase.Database | null = null;

parentPort?.on('message', (request: AsideRequest) => parentPort?.postMessage(answer(request)));

function answer({ work, sql, parameters }: AsideRequest): AsideAnswer {
  try {
    return { result: run(work, sql, parameters) };
  } catch (error) {
    return { fault: { message: String(error), code: String((error as { code?: unknown }).code) } };
  }
}

function run(work: AsideRequest['work'], sql: string, parameters: readonly unknown[]): unknown {
  if (work === 'read') return reading.prepare(sql).all(parameters);
  writing ??= openForWrites();
  if (work === 'write') return write(writing.prepare(sql), parameters);
  // Waits for nobody: pages that another connection still needs in the log stay there until the next time.
  return writing.pragma('wal_checkpoint(PASSIVE)');
}

/** The statement takes the lock of the file at its beginning, or fails at once. */
function write(statement: SqliteDatabase.Statement, parameters: readonly unknown[]): AsideWrite {
  const beganAt = performance.now();
  const { changes } = statement.run(parameters);
  return { changes, heldMs: performance.now() - beganAt };
}

function openForWrites(): SqliteDatabase.Database {
  const opened = new SqliteDatabase(path, { fileMustExist: true, timeout: 0 });
  // The next commit of the process that waits for the disk makes these writes durable, too.
  opened.pragma('synchronous = NORMAL');
  // Its checkpoints come by message. One within a write would delay its answer.
  opened.pragma('wal_autocheckpoint = 0');
  opened.pragma('foreign_keys = ON');
  return opened;
}
