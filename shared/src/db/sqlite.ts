import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase, { type Statement } from 'better-sqlite3';
import type { QueryResult } from 'kysely';
import { isBusy } from './lock-queue.ts';
import { makeFolder } from './make-folder.ts';

/** How long opening waits for another process's write. It blocks the event loop, which has no other work at that time. */
const openingTimeoutMs = 2_000;
/** Milliseconds between two tries: the other process needs a few milliseconds. */
const openingRetryMs = 5;
/**
 * In KiB, used as needed: the 128 leases of a transaction change some 5 pages of 4 KiB each, anywhere in the indexes. Pages that do not
 * fit are written to the log several times. Among a million leases, each viewer is on pages of its own, so all of the cache is used, and
 * more would only double what the kernel holds.
 */
const usualCacheKib = 4_096;
/** A transaction of a revocation changes as many pages for each of up to 1,000 rows. */
const cacheOfLongWritesKib = 32_768;
/** The statements of this code are a few dozen; lists with optional filters make a few dozen more. */
const keptStatements = 500;

/** Accessible by the owner alone. SQLite gives `-wal` and `-shm` the same rights (sqlite.org/wal.html). */
const fileMode = 0o600;

export type SqliteFile = ReturnType<typeof openSqlite>;

/**
 * Every call of an open file is complete when it returns, or throws SQLITE_BUSY at once while another process writes.
 *
 * One connection, write-ahead log, and a sync at every commit: with the default of `NORMAL` a committed revocation could
 * be lost at a power cut (sqlite.org/pragma.html#pragma_synchronous).
 */
export function openSqlite(path: string) {
  if (path !== ':memory:') makeFile(path);
  const sqlite = new SqliteDatabase(path, { timeout: openingTimeoutMs });
  useWriteAheadLog(sqlite);
  sqlite.pragma('synchronous = FULL');
  sqlite.pragma('foreign_keys = ON');
  sqlite.pragma(`cache_size = -${usualCacheKib}`);
  sqlite.pragma('busy_timeout = 0');
  const statements = new Map<string, Statement>();

  function prepare(sql: string): Statement {
    const kept = statements.get(sql);
    if (kept) return kept;
    const statement = sqlite.prepare(sql);
    if (statements.size < keptStatements) statements.set(sql, statement);
    return statement;
  }

  return {
    run(sql: string, parameters: readonly unknown[]): QueryResult<unknown> {
      const statement = prepare(sql);
      if (statement.reader) return { rows: statement.all(parameters) };
      const { changes, lastInsertRowid } = statement.run(parameters);
      return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
    },
    inTransaction: () => sqlite.inTransaction,
    /** Sets whether later commits wait until they are on the disk. Not allowed within a transaction. */
    // Compiled each time: SQLite applies this pragma when it compiles it, not when it runs it.
    syncCommits: (isOn: boolean) => void sqlite.pragma(`synchronous = ${isOn ? 'FULL' : 'NORMAL'}`),
    /** Commits copy the write-ahead log into the file once it holds this many pages. */
    checkpointAt: (pages: number) => void sqlite.pragma(`wal_autocheckpoint = ${pages}`),
    /** Whether transactions write many rows from here on, and may take more memory. */
    expectLongWrites: (areExpected: boolean) =>
      void sqlite.pragma(`cache_size = -${areExpected ? cacheOfLongWritesKib : usualCacheKib}`),
    close: () => void sqlite.close(),
  };
}

/**
 * Where several processes open a new file at the same instant, SQLite refuses all but one at once. Its own wait does not
 * cover the change of the journal, because two processes would wait for each other without an end. So this code retries.
 */
function useWriteAheadLog(sqlite: SqliteDatabase.Database): void {
  const giveUpAtMs = performance.now() + openingTimeoutMs;
  for (;;) {
    try {
      return void sqlite.pragma('journal_mode = WAL');
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAtMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, openingRetryMs);
    }
  }
}

/** SQLite would make the file with the rights of the umask, which usually lets everyone read it. */
function makeFile(path: string): void {
  makeFolder(dirname(path));
  try {
    closeSync(openSync(path, 'ax', fileMode));
  } catch {
    // The file exists, or cannot be made: in the second case SQLite reports it.
  }
}
