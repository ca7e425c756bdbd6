import { sql } from 'kysely';
import type { Database } from './open.ts';

/** The result of a probe. */
export interface DatabaseProbe {
  /** Why a write failed; null where it succeeded. */
  writeFault: unknown;
}

/**
 * A bounded round trip that reads, and one that writes. A full disk, a read-only setting or another user's lock leaves a
 * database that can be read, which is enough to serve keys.
 */
export function createDatabaseProbe(
  db: Database,
  { readMs, writeMs }: { readMs: number; writeMs: number },
): (now: number) => Promise<DatabaseProbe> {
  const isPostgres = db.getExecutor().adapter.supportsTransactionalDdl === true;
  // SQLite reads its file only where a statement names a table.
  const read = isPostgres ? sql`select 1` : sql`select count(*) from sqlite_master`;
  let writing: Promise<unknown> | null = null;

  // One at a time: while a write hangs, each further one would take another connection away from the reads.
  function write(now: number): Promise<unknown> {
    writing ??= db
      .updateTable('ready_probe')
      .set({ at: now })
      .where('id', '=', 1)
      .execute()
      .finally(() => {
        writing = null;
      });
    return writing;
  }

  return async (now) => {
    const written = within(writeMs, write(now)).then(
      () => null,
      (error: unknown) => error ?? new Error('refused'),
    );
    await within(readMs, read.execute(db));
    return { writeFault: await written };
  };
}

/** @throws the work's rejection, or an Error after `timeoutMs` */
async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
