import { type CompiledQuery, type DatabaseConnection, type Dialect, DummyDriver, Kysely } from 'kysely';
import { ConcurrentAdapter, createConcurrentDialect, wholeRows } from './concurrent-dialect.ts';
import { createLockQueue } from './lock-queue.ts';
import type { Schema } from './schema.ts';
import type { SqliteFile } from './sqlite.ts';
import type { SqliteAside } from './sqlite-aside.ts';

/** SQLite's own default (sqlite.org/pragma.html#pragma_wal_autocheckpoint). */
const usualPages = 1_000;
/**
 * 32 MB: reached only where requests write so much that the thread never finds a moment without a write, in which the log
 * starts again.
 */
const pagesWhileAside = 8_000;

export type SqliteBackground = ReturnType<typeof createSqliteBackground>;

/** Tools that keep background work on a SQLite file from holding up requests. */
export function createSqliteBackground(file: SqliteFile, aside: SqliteAside) {
  let takers = 0;
  return {
    aside,
    /** Each statement is a transaction of its own on the separate thread. For writes that return no rows. */
    writer: new Kysely<Schema>({ dialect: createWriterDialect(aside) }),
    /**
     * From here on the caller calls `aside.checkpoint`. Otherwise every thousandth page would be copied, and the disk waited for, within
     * a commit of this process: 10 to 20 ms in which no request is answered.
     *
     * @returns ends it
     */
    takeCheckpoints(): () => void {
      if (takers++ === 0) {
        file.checkpointAt(pagesWhileAside);
        file.expectLongWrites(true);
      }
      return () => {
        if (--takers > 0) return;
        file.checkpointAt(usualPages);
        file.expectLongWrites(false);
      };
    },
  };
}

function createWriterDialect(aside: SqliteAside): Dialect {
  const lockQueue = createLockQueue();
  const connection = {
    ...wholeRows,
    async executeQuery({ sql, parameters }: CompiledQuery) {
      const changes = await lockQueue.retry(() => aside.write(sql, parameters));
      return { numAffectedRows: BigInt(changes), rows: [] };
    },
  };
  class WriterDriver extends DummyDriver {
    override async acquireConnection(): Promise<DatabaseConnection> {
      return connection;
    }

    override async beginTransaction(): Promise<void> {
      throw new Error('each statement of the writer is a transaction of its own');
    }
  }
  return createConcurrentDialect(new WriterDriver(), new ConcurrentAdapter());
}
