import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { explainFile } from './sqlite-file.ts';

/** 2 MB with pages of 4 KiB: some milliseconds of reading and writing. */
const pagesPerStep = 512;
/** Then what was written goes to the disk. A single sync at the end would keep the commits of a server waiting for all of it. */
const stepsPerSync = 4;
/** How long it rests, as a multiple of what a step took: half of the disk is left to the server. */
const restShare = 1;
const longestRestMs = 50;
/** How long opening waits for another process's write. */
const openingTimeoutMs = 2_000;

/** A copy that is being made. */
interface CopyOptions {
  /** A SQLite file, which a server may be writing. */
  from: string;
  /** An empty file. */
  to: string;
  /** Ends the copy with its reason. */
  signal: AbortSignal;
  /** Called after each step with the share that is done, from 0 to 1. */
  onProgress?: (share: number) => void;
}

/**
 * Copies a SQLite file as it is at one instant. A server goes on reading and writing meanwhile: a read transaction keeps the
 * instant, and holds nobody up. The write-ahead log cannot start again until the copy is complete, so it grows by what is
 * written meanwhile.
 *
 * `VACUUM INTO` copies one instant too, but without a pause, and leaves one large sync to its end.
 *
 * @throws UnusableFile, SQLite's errors, and the signal's reason
 */
export async function copySqlite({ from, to, signal, onProgress }: CopyOptions): Promise<void> {
  const source = new SqliteDatabase(from, { fileMustExist: true, timeout: openingTimeoutMs });
  const target = openSync(to, 'r+');
  try {
    // The connection's own checkpoints would keep it busy at its end.
    source.pragma('wal_autocheckpoint = 0');
    source.exec('begin');
    // A transaction begins with its first read.
    source.prepare('select count(*) from sqlite_schema').get();
    let steps = 0;
    let beganAt = performance.now();
    await source.backup(to, {
      progress({ totalPages, remainingPages }) {
        signal.throwIfAborted();
        // Called before the first step, too, when nothing is known.
        if (totalPages > 0) onProgress?.(1 - remainingPages / totalPages);
        if (++steps % stepsPerSync === 0) fdatasyncSync(target);
        rest(Math.min(longestRestMs, (performance.now() - beganAt) * restShare));
        beganAt = performance.now();
        return pagesPerStep;
      },
    });
    endRead(source);
  } catch (error) {
    throw explainFile(error);
  } finally {
    source.close();
    closeSync(target);
  }
}

/**
 * Copies the log into the file at once: otherwise the server's next commit would have to copy all of it, and no request would
 * be answered meanwhile.
 */
function endRead(source: SqliteDatabase.Database): void {
  source.exec('commit');
  source.pragma('wal_checkpoint(PASSIVE)');
}

/** The process has no other work, and the step before it was synchronous, too. */
function rest(ms: number): void {
  if (ms >= 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
