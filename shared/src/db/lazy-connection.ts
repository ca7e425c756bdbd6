import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { beginPooled, type Session } from './postgres-session.ts';
import type { Semaphore } from './semaphore.ts';

/** How often the server is asked again to cancel a statement that still runs. */
const cancelEveryMs = 1_000;

export interface SparingPoolOptions {
  maxConnections: number;
  /** How long a write may wait for one of the earlier writes to end. */
  waitMs: number;
  /** A connection to the server that takes writes. */
  connect(): Promise<pg.PoolClient>;
  sessionOf(client: pg.PoolClient): (Session & { turn: number }) | undefined;
  /** The server that new connections go to. */
  turn(): number;
}

interface LazyConnectionOptions extends SparingPoolOptions {
  writes: Semaphore;
  /** The name under which a session keeps a statement; undefined for none. */
  nameOf(text: string): string | undefined;
}

const isRead = (text: string) => /^[\s(]*select\b/i.test(text);
const isUnanswered = (error: unknown) => error instanceof Error && error.message === 'Query read timeout';

const isBegin = (text: string) => /^(begin|start transaction)\b/.test(text);

/** A client that takes a connection with its first statement. */
export class LazyConnection implements PostgresPoolClient {
  readonly #pool: pg.Pool;
  readonly #options: LazyConnectionOptions;
  #client: pg.PoolClient | null = null;
  #mayWrite = false;
  #isUnanswered = false;
  /** Behind a pooler: the Postgres process that runs the transaction; null outside of one. */
  #pooledBackend: number | null = null;

  constructor(pool: pg.Pool, options: LazyConnectionOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: never): never & R;
  async query<R>(text: string, values?: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    // It would wait behind the unanswered statement. The session ends, and the transaction with it.
    if (this.#isUnanswered && text === 'rollback') return { command: 'ROLLBACK', rowCount: 0, rows: [] };
    const { writes, connect, sessionOf } = this.#options;
    if (!this.#mayWrite && !isRead(text)) {
      await writes.take();
      this.#mayWrite = true;
    }
    this.#client ??= await connect();
    const begin = sessionOf(this.#client)?.begin ?? null;
    try {
      const given = values as unknown[];
      const answer =
        begin === null
          ? this.#send(this.#client, text, given)
          : this.#sendPooled(this.#client, begin, text, given);
      return (await answer) as never;
    } catch (error) {
      this.#isUnanswered ||= isUnanswered(error);
      throw error;
    }
  }

  #send(client: pg.PoolClient, text: string, values: unknown[]): Promise<pg.QueryResult> {
    const name = this.#options.nameOf(text);
    return name === undefined ? client.query(text, values) : client.query({ name, text, values });
  }

  /**
   * Behind a pooler each transaction may run in another session. So each begins with its settings, a single statement is a transaction,
   * and no statement is prepared: the session that knows its name would not be there the next time.
   */
  async #sendPooled(
    client: pg.PoolClient,
    begin: string,
    text: string,
    values: unknown[],
  ): Promise<Pick<pg.QueryResult, 'command' | 'rowCount' | 'rows'>> {
    if (isBegin(text)) {
      this.#pooledBackend = await beginPooled(client, begin);
      return { command: 'BEGIN', rowCount: 0, rows: [] };
    }
    if (this.#pooledBackend !== null) {
      const answer = await client.query(text, values);
      if (text === 'commit' || text === 'rollback') this.#pooledBackend = null;
      return answer;
    }
    this.#pooledBackend = await beginPooled(client, begin);
    try {
      const answer = await client.query(text, values);
      const ended = client.query('commit');
      // Nothing depends on the end of a read. The next statement of this connection waits for it.
      if (isRead(text)) ended.catch(() => {});
      else await ended;
      this.#pooledBackend = null;
      return answer;
    } catch (error) {
      if (isUnanswered(error)) throw error;
      this.#pooledBackend = null;
      await client.query('rollback');
      throw error;
    }
  }

  release(discard?: boolean): void {
    const client = this.#client;
    if (client && this.#isUnanswered) void this.#abandon(client);
    else {
      client?.release(discard === true);
      this.#giveBack();
    }
  }

  #giveBack(): void {
    if (this.#mayWrite) this.#options.writes.give();
    this.#mayWrite = false;
  }

  /**
   * Keeps the connection out of the pool until Postgres has ended its statement. Closing it at once would leave a
   * Postgres process behind that does not notice. After some of those, the server takes no more connections.
   */
  async #abandon(client: pg.PoolClient): Promise<void> {
    let isDone = false;
    const done = new Promise<void>((resolve) => {
      for (const event of ['drain', 'end'] as const)
        client.once(event, () => {
          isDone = true;
          resolve();
        });
    });
    while (!isDone && !this.#pool.ending && (await this.#cancel(client)))
      await Promise.race([done, sleep(cancelEveryMs, undefined, { ref: false })]);
    client.release(true);
    this.#giveBack();
  }

  /** False where the server cannot be asked, or does not know that process. */
  async #cancel(client: pg.PoolClient): Promise<boolean> {
    try {
      const session = this.#options.sessionOf(client);
      // On another server the id would be that of another process.
      if (session?.turn !== this.#options.turn()) return false;
      const backend = this.#pooledBackend ?? session.backend;
      const { rows } = await this.#pool.query('select pg_cancel_backend($1) as "isThere"', [backend]);
      return rows[0]?.isThere === true;
    } catch {
      return false;
    }
  }
}
