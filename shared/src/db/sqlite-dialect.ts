import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
} from 'kysely';
import { ConcurrentAdapter, createConcurrentDialect, wholeRows } from './concurrent-dialect.ts';
import { createLockQueue, createMutex, isBusy, type LockQueue, type Mutex } from './lock-queue.ts';
import type { Schema } from './schema.ts';
import type { SqliteFile } from './sqlite.ts';
import type { SqliteAside } from './sqlite-aside.ts';
import { createSqliteBackground, type SqliteBackground } from './sqlite-background.ts';

/**
 * SQLite for Kysely, where waiting for other processes blocks nothing. SQLite's own wait sleeps in the event loop: while
 * another process held the lock, no request was answered, not even one without database access. Here a statement that
 * finds the file locked gives up its turn and retries later, so reads and all other work continue. Kysely's own dialect
 * would keep the turn from the beginning of a statement to its end.
 *
 * @param aside for long reads and background work; the dialect closes it with the file
 */
export function createSqliteDialect(file: SqliteFile, aside: SqliteAside | null = null): Dialect {
  const lockQueue = createLockQueue(() => aside?.ownWrite() ?? null);
  const shared = { file, aside, turns: createMutex(), lockQueue };
  const background = aside && createSqliteBackground(file, aside);
  const dialectThat = (syncs: boolean, unsynced: Kysely<Schema> | null): Dialect =>
    createConcurrentDialect(new PatientDriver(shared, syncs), new SqliteFileAdapter(background, unsynced));
  return dialectThat(true, new Kysely({ dialect: dialectThat(false, null) }));
}

interface Shared {
  file: SqliteFile;
  aside: SqliteAside | null;
  turns: Mutex;
  lockQueue: LockQueue;
}

export class SqliteFileAdapter extends ConcurrentAdapter {
  /** Null for a database in memory, which only one connection can read. */
  readonly background: SqliteBackground | null;
  /** The same connection, for transactions whose commit does not wait for the disk (`inUnsyncedTransaction`). */
  readonly unsynced: Kysely<Schema> | null;

  constructor(background: SqliteBackground | null, unsynced: Kysely<Schema> | null) {
    super();
    this.background = background;
    this.unsynced = unsynced;
  }
}

class PatientDriver implements Driver {
  readonly #shared: Shared;
  readonly #syncs: boolean;

  constructor(shared: Shared, syncs: boolean) {
    this.#shared = shared;
    this.#syncs = syncs;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new Connection(this.#shared, this.#syncs);
  }

  /** The isolation level is always SQLite's own: one writer at a time. */
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as Connection).begin();
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as Connection).end('commit');
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as Connection).end('rollback');
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as Connection).release();
  }

  async destroy(): Promise<void> {
    const { aside, turns, file } = this.#shared;
    await aside?.close();
    await turns.take();
    file.close();
    turns.give();
  }
}

/** One caller's use of the single connection of the process. */
class Connection implements DatabaseConnection {
  readonly #shared: Shared;
  readonly #file: SqliteFile;
  readonly #syncs: boolean;
  readonly streamQuery = wholeRows.streamQuery;
  /**
   * Held from the beginning of a transaction until the caller is done, so that other callers' statements do not become
   * part of it.
   */
  #hasTurn = false;

  constructor(shared: Shared, syncs: boolean) {
    this.#shared = shared;
    this.#file = shared.file;
    this.#syncs = syncs;
  }

  /**
   * A transaction here always writes. A plain `begin` would read first, and could not be upgraded where another process
   * has written meanwhile (SQLITE_BUSY_SNAPSHOT).
   */
  async begin(): Promise<void> {
    await this.#runInTurn(() => {
      if (!this.#syncs) this.#file.syncCommits(false);
      this.#file.run('begin immediate', []);
    }, true);
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    // SQLite itself ends the transaction where the disk is full or fails (sqlite.org/lang_transaction.html, section 3.1).
    // Kysely rolls back after every error, and where that fails too, the first error is lost.
    if (how === 'commit' || this.#file.inTransaction()) this.#file.run(how, []);
  }

  release(): void {
    if (!this.#hasTurn) return;
    // Restored before the next caller's turn, because its commit relies on the disk. SQLite refuses the change within a
    // transaction, and an open transaction could be neither committed nor rolled back.
    if (!this.#syncs && !this.#file.inTransaction()) this.#file.syncCommits(true);
    this.#hasTurn = false;
    this.#shared.turns.give();
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const run = () => this.#file.run(sql, parameters) as QueryResult<R>;
    return this.#hasTurn ? run() : this.#runInTurn(run, false);
  }

  async #runInTurn<T>(run: () => T, keepsTurn: boolean): Promise<T> {
    const attempt = () => this.#attempt(run, keepsTurn);
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      return this.#shared.lockQueue.retry(attempt);
    }
  }

  async #attempt<T>(run: () => T, keepsTurn: boolean): Promise<T> {
    await this.#shared.turns.take();
    this.#hasTurn = true;
    try {
      const result = run();
      if (!keepsTurn) this.release();
      return result;
    } catch (error) {
      this.release();
      throw error;
    }
  }
}
