import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { createStatementNames } from './kept-statements.ts';
import { prepareSession, statementTimeoutMs } from './postgres-session.ts';

/** Loads the driver at the first Postgres database: on SQLite it would take 2 MB and 15 ms of each start. */
const loadModule = createRequire(import.meta.url);
/** OID of `int8` in pg_type: arrives as text, because it can exceed 2^53. Our milliseconds and counts cannot. */
const int8Oid = 20;
/** Small enough for ten processes on Postgres' default of 100 connections. */
const maxConnections = 10;
const defaultConnectionTimeoutMs = 2_000;
/** The server's limit cannot end a statement when the network is cut, so the client has its own limit, a second later. */
const answerTimeoutMs = statementTimeoutMs + 1_000;

/** Connections, and the statements and transactions that wait for one. */
export interface PoolUsage {
  used: number;
  idle: number;
  waiting: number;
  max: number;
}

interface MeasuredPool extends PostgresPool {
  usage(): PoolUsage;
}

interface PoolOptions {
  longStatements?: boolean;
  connectionTimeoutMs?: number;
}

/** A pool for Kysely in which waiting writes leave connections to the reads. */
export function openPostgres(
  connectionString: string,
  onConnectionFault: (error: Error) => void,
  options: PoolOptions,
): MeasuredPool {
  const backends = new WeakMap<object, number>();
  const note = (client: object, backend: number) => void backends.set(client, backend);
  return createSparingPool(openPostgresPool(connectionString, onConnectionFault, options, note), {
    maxConnections,
    waitMs: options.connectionTimeoutMs ?? defaultConnectionTimeoutMs,
    backendOf: (client) => backends.get(client),
  });
}

export function openPostgresPool(
  connectionString: string,
  onConnectionFault: (error: Error) => void,
  { longStatements = false, connectionTimeoutMs = defaultConnectionTimeoutMs }: PoolOptions = {},
  onSession: (client: object, backend: number) => void = () => {},
): pg.Pool {
  const { Pool, types }: typeof pg = loadModule('pg');
  const pool = new Pool({
    connectionString,
    max: maxConnections,
    connectionTimeoutMillis: connectionTimeoutMs,
    ...(longStatements ? {} : { query_timeout: answerTimeoutMs }),
    application_name: 'latchkey',
    onConnect: async (client) => onSession(client, await prepareSession(client, longStatements)),
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8Oid ? Number : types.getTypeParser(oid, format),
    } as pg.CustomTypesConfig,
  });
  // Without a listener, a connection that breaks while idle would end the process.
  pool.on('error', onConnectionFault);
  // The pool does not listen while a connection is in use either: one that breaks between two statements of a transaction
  // would end the process too. The next statement reports the failure.
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

/** Connections for plain reads only: the feed is read each second, in addition to look-ups and `/ready`. */
const readersOnly = 3;
/** How often the server is asked again to cancel a statement that still runs. */
const cancelEveryMs = 1_000;

interface SparingPoolOptions {
  maxConnections: number;
  /** How long a write may wait for one of the earlier writes to end. */
  waitMs: number;
  /** The Postgres process that serves a connection. */
  backendOf(client: pg.PoolClient): number | undefined;
}

/**
 * The pool as Kysely sees it, with some connections that writes never take. Where a synchronous standby is lost, a commit
 * waits for as long as Postgres likes. No limit of Postgres ends that wait, because it lifts `statement_timeout` before
 * it commits. Without reserved connections a few waiting writes would stop the reading of the feed, and with it every
 * key.
 *
 * A caller gets a connection with its first statement, which shows whether it reads. A transaction counts as a write.
 */
export function createSparingPool(pool: pg.Pool, options: SparingPoolOptions): MeasuredPool {
  const writes = createSlots(options.maxConnections - readersOnly, options.waitMs);
  const nameOf = createStatementNames();
  return {
    connect: async () => new LateClient(pool, writes, options, nameOf),
    end: () => pool.end(),
    options: pool.options,
    usage: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + writes.waiting(),
      max: options.maxConnections,
    }),
  };
}

const isRead = (text: string) => /^[\s(]*select\b/i.test(text);
const isUnanswered = (error: unknown) => error instanceof Error && error.message === 'Query read timeout';

class LateClient implements PostgresPoolClient {
  readonly #pool: pg.Pool;
  readonly #writes: Slots;
  readonly #options: SparingPoolOptions;
  readonly #nameOf: (text: string) => string | undefined;
  #client: pg.PoolClient | null = null;
  #mayWrite = false;
  #isUnanswered = false;

  constructor(
    pool: pg.Pool,
    writes: Slots,
    options: SparingPoolOptions,
    nameOf: (text: string) => string | undefined,
  ) {
    this.#pool = pool;
    this.#writes = writes;
    this.#options = options;
    this.#nameOf = nameOf;
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: never): never & R;
  async query<R>(text: string, values?: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    // It would wait behind the unanswered statement. The session ends, and the transaction with it.
    if (this.#isUnanswered && text === 'rollback') return { command: 'ROLLBACK', rowCount: 0, rows: [] };
    if (!this.#mayWrite && !isRead(text)) {
      await this.#writes.take();
      this.#mayWrite = true;
    }
    this.#client ??= await this.#pool.connect();
    try {
      const name = this.#nameOf(text);
      const given = values as unknown[];
      const answer =
        name === undefined
          ? this.#client.query(text, given)
          : this.#client.query({ name, text, values: given });
      return (await answer) as never;
    } catch (error) {
      this.#isUnanswered ||= isUnanswered(error);
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
    if (this.#mayWrite) this.#writes.give();
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
      const backend = this.#options.backendOf(client);
      const { rows } = await this.#pool.query('select pg_cancel_backend($1) as "isThere"', [backend]);
      return rows[0]?.isThere === true;
    } catch {
      return false;
    }
  }
}

interface Slots {
  /** @throws Error after `waitMs` */
  take(): Promise<void>;
  give(): void;
  /** How many wait. */
  waiting(): number;
}

function createSlots(count: number, waitMs: number): Slots {
  const waiting = new Set<() => void>();
  let free = count;
  return {
    waiting: () => waiting.size,
    take() {
      if (free > 0) {
        free--;
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(enter);
          // Worded like pg's error, by which an unreachable database is recognised.
          reject(new Error('timeout exceeded when trying to connect'));
        }, waitMs);
        const enter = () => {
          clearTimeout(timer);
          resolve();
        };
        waiting.add(enter);
      });
    },
    give() {
      const [next] = waiting;
      if (!next) {
        free++;
        return;
      }
      waiting.delete(next);
      next();
    },
  };
}
