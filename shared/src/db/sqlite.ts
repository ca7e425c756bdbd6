import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase, { type Statement } from 'better-sqlite3';
import type { SqliteDatabase as KyselySqliteDatabase } from 'kysely';
import { makeFolder } from './make-folder.ts';

/** How long a statement waits for another process's write. It blocks the event loop, so it is short. */
const busyTimeoutMs = 2_000;
/** The statements of this code are a few dozen; lists with optional filters make a few dozen more. */
const keptStatements = 500;
/** Changes nothing and gives no rows. */
const nothing = 'select 1 where false';

/** For its owner alone. SQLite gives `-wal` and `-shm` the same rights (sqlite.org/wal.html). */
const fileMode = 0o600;

/**
 * One connection, write-ahead log, and a sync at every commit: with the default of `NORMAL` a committed revocation could
 * be lost at a power cut (sqlite.org/pragma.html#pragma_synchronous).
 */
export function openSqlite(path: string): KyselySqliteDatabase {
  if (path !== ':memory:') makeFile(path);
  const sqlite = new SqliteDatabase(path, { timeout: busyTimeoutMs });
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = FULL');
  sqlite.pragma('foreign_keys = ON');
  const statements = new Map<string, Statement>();

  return {
    close: () => sqlite.close(),
    prepare(sql) {
      const text = substitute(sql, sqlite.inTransaction);
      let statement = statements.get(text);
      if (!statement) {
        statement = sqlite.prepare(text);
        if (statements.size < keptStatements) statements.set(text, statement);
      }
      return statement as unknown as ReturnType<KyselySqliteDatabase['prepare']>;
    },
  };
}

/** SQLite would make the file with the rights that the umask leaves, which usually lets everyone read it. */
function makeFile(path: string): void {
  makeFolder(dirname(path));
  try {
    closeSync(openSync(path, 'ax', fileMode));
  } catch {
    // It is there, or cannot be made: then SQLite says so itself.
  }
}

function substitute(sql: string, inTransaction: boolean): string {
  // A transaction here always writes. Begun as a plain one, it would read first and could then not be upgraded when
  // another process has written in between (SQLITE_BUSY_SNAPSHOT).
  if (sql === 'begin') return 'begin immediate';
  // SQLite itself ends the transaction where the disk is full or fails (sqlite.org/lang_transaction.html, section 3.1).
  // Kysely rolls back after every error, and where that fails too, nobody hears of the first.
  if (sql === 'rollback' && !inTransaction) return nothing;
  return sql;
}
