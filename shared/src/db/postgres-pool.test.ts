import { EventEmitter } from 'node:events';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createOwnPostgres } from '../testing/own-postgres.ts';
import { isDatabaseUnavailable } from './database-fault.ts';
import { createSparingPool, openPostgresPool } from './postgres-pool.ts';
import { inTransaction } from './transaction.ts';

const url = process.env.TEST_POSTGRES_URL ?? '';

test.skipIf(url === '')(
  'while more writes wait in Postgres than the pool has connections, reads are answered, and once Postgres goes on so do all writes',
  async () => {
    const own = await createOwnPostgres(url);
    // Without limits: nothing but the lock decides how long they wait.
    const db = own.open({ longStatements: true });
    await sql`create table turns (n int)`.execute(db);
    await sql`insert into turns values (0)`.execute(db);
    const other = new pg.Client(own.databaseUrl);
    await other.connect();
    await other.query('begin');
    await other.query('lock table turns in exclusive mode');
    let written = 0;
    const write = sql`update turns set n = n + 1`;
    const writes = Array.from({ length: 24 }, async (_, index) => {
      await (index % 2 ? write.execute(db) : inTransaction(db, (tx) => write.execute(tx)));
      written++;
    });
    // Once as many wait as may: all that the pool had to give, if it kept nothing back.
    const waiting = async () => {
      const { rows } = await own.admin.query(
        `select count(*)::int as n from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'`,
        [own.name],
      );
      return rows[0].n;
    };
    await expect.poll(waiting, { timeout: 20_000 }).toBeGreaterThanOrEqual(7);
    const reads = Array.from({ length: 20 }, () => sql<{ n: number }>`select n from turns`.execute(db));
    for (const { rows } of await Promise.all(reads)) expect(rows).toEqual([{ n: 0 }]);
    expect(written).toBe(0);
    await other.query('rollback');
    await Promise.all(writes);
    expect((await sql<{ n: number }>`select n from turns`.execute(db)).rows).toEqual([{ n: 24 }]);
    await other.end();
    await db.destroy();
    await own.close();
  },
);

test.skipIf(url === '')(
  'a connection that breaks between two statements of a transaction fails that transaction, and not the process',
  async () => {
    const { pool } = openPostgresPool(url, () => {}, { connectionTimeoutMs: 60_000 });
    const client = await pool.connect();
    await client.query('BEGIN');
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const ended = new Promise((resolve) => client.once('end', resolve));
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
    await ended;
    await expect(client.query('SELECT 1')).rejects.toThrow();
    client.release(true);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  },
);

const sparingOptions = (pool: pg.Pool) => ({
  maxConnections: 4,
  waitMs: 10,
  connect: () => pool.connect(),
  sessionOf: () => ({ backend: 7, begin: null, turn: 0 }),
  turn: () => 0,
});

/** A connection whose commits have no answer until Postgres lets go of them. */
class HangingClient extends EventEmitter {
  asked: string[] = [];
  released: unknown[] = [];
  async query(text: string) {
    this.asked.push(text);
    if (text === 'commit') throw new Error('Query read timeout');
    return { command: 'SELECT', rowCount: 0, rows: [] };
  }
  release(discard: unknown) {
    this.released.push(discard);
  }
}

test('a commit without an answer is cancelled, and its connection is out of use until Postgres has let go of it', async () => {
  const client = new HangingClient();
  const cancelled: unknown[] = [];
  const pool = {
    ending: false,
    connect: async () => client,
    query: async (_text: string, values: unknown[]) => {
      cancelled.push(...values);
      return { rows: [{ isThere: true }] };
    },
  } as unknown as pg.Pool;
  // One write at a time, beside three connections for reads.
  const sparing = createSparingPool(pool, sparingOptions(pool));
  const hung = await sparing.connect();
  await hung.query('begin', []);
  await expect(hung.query('commit', [])).rejects.toThrow('Query read timeout');
  await hung.query('rollback', []);
  expect(client.asked).toEqual(['begin', 'commit']);
  hung.release();
  expect(cancelled).toEqual([7]);
  const next = await sparing.connect();
  const refused = await next.query('insert', []).catch((error: unknown) => error);
  expect(isDatabaseUnavailable(refused)).toBe(true);
  await next.query('select 1', []);
  expect(client.released).toEqual([]);
  client.emit('drain');
  await expect.poll(() => client.released).toEqual([true]);
  await next.query('insert', []);
  next.release();
});

test('a connection to a Postgres that does not answer is closed', async () => {
  const client = new HangingClient();
  const pool = {
    ending: false,
    connect: async () => client,
    query: () => Promise.reject(new Error('timeout exceeded when trying to connect')),
  } as unknown as pg.Pool;
  const sparing = createSparingPool(pool, sparingOptions(pool));
  const hung = await sparing.connect();
  await expect(hung.query('commit', [])).rejects.toThrow('Query read timeout');
  hung.release();
  await expect.poll(() => client.released).toEqual([true]);
});
