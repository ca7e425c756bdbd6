import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { createLockQueue, isBusy, type LockQueue } from './lock-queue.ts';
import type { SqliteFile } from './sqlite.ts';
import type { SqliteReader } from './sqlite-reader.ts';
import { createTurns, type Turns } from './turns.ts';

/**
 * SQLite for Kysely, with a wait for other processes that blocks nobody. SQLite's own wait sleeps in the event loop: while another
 * process held the lock, no request was answered, not even one that needs no database. Here a statement that finds the file
 * locked gives its turn away and tries again later, so reads and everything else go on. Kysely's own dialect would keep the
 * turn from the beginning of a statement to its end.
 *
 * @param reader for reads that take long (`readAside`); the dialect closes it with the file
 */
export function createSqliteDialect(file: SqliteFile, reader: SqliteReader | null = null): Dialect {
  return {
    createDriver: () => new PatientDriver(file, reader),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteFileAdapter(reader),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

export class SqliteFileAdapter extends SqliteAdapter {
  /** Null for a database in memory, which one connection alone can read. */
  readonly reader: SqliteReader | null;

  constructor(reader: SqliteReader | null) {
    super();
    this.reader = reader;
  }

  /** The driver takes turns itself. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class PatientDriver implements Driver {
  readonly #file: SqliteFile;
  readonly #turns = createTurns();
  readonly #lockQueue = createLockQueue();
  readonly #reader: SqliteReader | null;

  constructor(file: SqliteFile, reader: SqliteReader | null) {
    this.#file = file;
    this.#reader = reader;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new Connection(this.#file, this.#turns, this.#lockQueue);
  }

  /** The isolation level is SQLite's own in any case: one writer at a time. */
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
    await this.#reader?.close();
    await this.#turns.take();
    this.#file.close();
    this.#turns.give();
  }
}

/** What one caller does on the one connection that the process has. */
class Connection implements DatabaseConnection {
  readonly #file: SqliteFile;
  readonly #turns: Turns;
  readonly #lockQueue: LockQueue;
  /** From the beginning of a transaction until the caller is done: statements of others must not become part of it. */
  #hasTurn = false;

  constructor(file: SqliteFile, turns: Turns, lockQueue: LockQueue) {
    this.#file = file;
    this.#turns = turns;
    this.#lockQueue = lockQueue;
  }

  /**
   * A transaction here always writes. Begun as a plain one, it would read first and could then not be upgraded when another
   * process has written in between (SQLITE_BUSY_SNAPSHOT).
   */
  async begin(): Promise<void> {
    await this.#runInTurn(() => this.#file.run('begin immediate', []), true);
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    // SQLite itself ends the transaction where the disk is full or fails (sqlite.org/lang_transaction.html, section 3.1).
    // Kysely rolls back after every error, and where that fails too, the first error is lost.
    if (how === 'commit' || this.#file.inTransaction()) this.#file.run(how, []);
  }

  release(): void {
    if (this.#hasTurn) this.#turns.give();
    this.#hasTurn = false;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const run = () => this.#file.run(sql, parameters) as QueryResult<R>;
    return this.#hasTurn ? run() : this.#runInTurn(run, false);
  }

  // biome-ignore lint/correctness/useYield: it always throws
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows of SQLite are read at once');
  }

  async #runInTurn<T>(run: () => T, keepsTurn: boolean): Promise<T> {
    const attempt = () => this.#attempt(run, keepsTurn);
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      return this.#lockQueue.retry(attempt);
    }
  }

  async #attempt<T>(run: () => T, keepsTurn: boolean): Promise<T> {
    await this.#turns.take();
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
