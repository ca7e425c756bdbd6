import type { PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { runsOfPlans } from './kept-statements.ts';
import { beginPooled, type Session } from './postgres-session.ts';

/** A connection, and what is known of it. */
export interface ServerClient extends pg.PoolClient {
  /** The server of the URL that it leads to. */
  readonly turn: number;
  session: Session;
}

export interface ServerPool {
  /** A connection to the server that takes writes. */
  connect(): Promise<ServerClient>;
}

interface PostgresClientOptions {
  reads: ServerPool;
  writes: ServerPool;
  /** The name under which a session keeps a statement; undefined for none. */
  nameOf(text: string): string | undefined;
  /** Makes Postgres end what the session of a connection is waiting for. */
  cancel(client: ServerClient): Promise<void>;
}

const isRead = (text: string) => /^[\s(]*select\b/i.test(text);
const isUnanswered = (error: unknown) => error instanceof Error && error.message === 'Query read timeout';
const isBegin = (text: string) => /^(begin|start transaction)\b/.test(text);

/** A client for Kysely that takes a connection with its first statement, from the pool for reads or that for writes. */
export class PostgresClient implements PostgresPoolClient {
  readonly #options: PostgresClientOptions;
  #client: ServerClient | null = null;
  #isUnanswered = false;
  #isPooledTransaction = false;

  constructor(options: PostgresClientOptions) {
    this.#options = options;
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: never): never & R;
  async query<R>(text: string, values?: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    // It would wait behind the unanswered statement. The session ends, and the transaction with it.
    if (this.#isUnanswered && text === 'rollback') return { command: 'ROLLBACK', rowCount: 0, rows: [] };
    const { reads, writes, nameOf } = this.#options;
    this.#client ??= await (isRead(text) ? reads : writes).connect();
    const client = this.#client;
    const { begin } = client.session;
    const name = begin === null ? nameOf(text) : undefined;
    try {
      if (name !== undefined && ++client.session.keptRuns % runsOfPlans === 0)
        await client.query('discard plans');
      const answer =
        begin === null
          ? await client.query({ name: name as string, text, values: values as unknown[] })
          : await this.#sendPooled(client, begin, text, values as unknown[]);
      return answer as never;
    } catch (error) {
      this.#isUnanswered ||= isUnanswered(error);
      throw error;
    }
  }

  release(discard?: boolean): void {
    if (!this.#client) return;
    if (this.#isUnanswered) void this.#abandon(this.#client);
    else this.#client.release(discard === true);
  }

  /**
   * Closes a connection without an answer, which the driver would give to the next caller (https://github.com/brianc/node-postgres/issues/3399).
   * Closing alone would leave a process of Postgres behind that waits on and does not notice. After some of those, the server takes no more
   * connections.
   */
  async #abandon(client: ServerClient): Promise<void> {
    // A server that cannot be reached is the likely reason. Then nothing is left to do.
    await this.#options.cancel(client).catch(() => {});
    client.release(true);
  }

  /**
   * Behind a pooler each transaction may run in another session. So each begins with its settings, a single statement is a transaction,
   * and no statement is prepared: the session that knows its name would not be there the next time.
   */
  async #sendPooled(
    client: ServerClient,
    begin: string,
    text: string,
    values: unknown[],
  ): Promise<Pick<pg.QueryResult, 'command' | 'rowCount' | 'rows'>> {
    if (this.#isPooledTransaction) return client.query(text, values);
    client.session.backend = await beginPooled(client, begin);
    if (isBegin(text)) {
      this.#isPooledTransaction = true;
      return { command: 'BEGIN', rowCount: 0, rows: [] };
    }
    try {
      const answer = await client.query(text, values);
      const ended = client.query('commit');
      // Nothing depends on the end of a read. The next statement of this connection waits for it.
      if (isRead(text)) ended.catch(() => {});
      else await ended;
      return answer;
    } catch (error) {
      if (!isUnanswered(error)) await client.query('rollback');
      throw error;
    }
  }
}
