import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import type { ReadAnswer, ReadRequest } from './sqlite-reader.ts';

// A thread of `createSqliteReader`. It may wait for the file, because no request runs on it.
const { path } = workerData as { path: string };
const file = new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: 2_000 });

parentPort?.on('message', ({ id, sql, parameters }: ReadRequest) =>
  parentPort?.postMessage(read(id, sql, parameters)),
);

function read(id: number, sql: string, parameters: readonly unknown[]): ReadAnswer {
  try {
    return { id, rows: file.prepare(sql).all(parameters) };
  } catch (error) {
    return { id, fault: { message: String(error), code: String((error as { code?: unknown }).code) } };
  }
}
