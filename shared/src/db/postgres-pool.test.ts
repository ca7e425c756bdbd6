import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createOwnPostgres } from '../testing/own-postgres.ts';
import { isDatabaseUnavailable } from './database-fault.ts';
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
    await expect.poll(waiting, { timeout: 20_000 }).toBeGreaterThanOrEqual(6);
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
  'while nothing is written, reads that wait in Postgres have all ten connections',
  async () => {
    const own = await createOwnPostgres(url);
    const db = own.open({ longStatements: true });
    const other = new pg.Client(own.databaseUrl);
    await other.connect();
    await other.query('select pg_advisory_lock(7)');
    const reads = Array.from({ length: 12 }, () => sql`select pg_advisory_xact_lock_shared(7)`.execute(db));
    const waiting = async () => {
      const { rows } = await own.admin.query(
        `select count(*)::int as n from pg_stat_activity where datname = $1 and wait_event = 'advisory'`,
        [own.name],
      );
      return rows[0].n;
    };
    await expect.poll(waiting, { timeout: 20_000 }).toBe(10);
    await other.query('select pg_advisory_unlock(7)');
    await Promise.all(reads);
    await other.end();
    await db.destroy();
    await own.close();
  },
);

test.skipIf(url === '')(
  'a read takes a connection that writes have opened, since a slow Postgres opens another one too late',
  async () => {
    const own = await createOwnPostgres(url);
    const db = own.open();
    await inTransaction(db, (tx) => sql`select 1`.execute(tx));
    await Promise.all([sql`select 1`.execute(db), sql`select pg_sleep(0.01)`.execute(db)]);
    await Promise.all([sql`select 1`.execute(db), sql`select pg_sleep(0.01)`.execute(db)]);
    const { rows } = await own.admin.query(
      'select count(*)::int as n from pg_stat_activity where datname = $1',
      [own.name],
    );
    expect(rows).toEqual([{ n: 2 }]);
    await db.destroy();
    await own.close();
  },
);

test.skipIf(url === '')(
  'a connection that breaks between two statements of a transaction fails that transaction, and not the process',
  async () => {
    const own = await createOwnPostgres(url);
    const db = own.open();
    const broken = inTransaction(db, async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      await own.admin.query('select pg_terminate_backend($1, 60000)', [rows[0]?.pid]);
      await sql`select 1`.execute(tx);
    });
    await expect(broken).rejects.toThrow();
    expect((await inTransaction(db, (tx) => sql`select 1 as one`.execute(tx))).rows).toEqual([{ one: 1 }]);
    await db.destroy();
    await own.close();
  },
);

test.skipIf(url === '')(
  'a statement without an answer is cancelled in Postgres, counts as an unavailable database, and the next one is answered',
  async () => {
    const own = await createOwnPostgres(url);
    // Without the limits of Postgres, as a commit that waits for its standby has none.
    const db = own.open({ databaseUrl: `${own.databaseUrl}?query_timeout=500`, longStatements: true });
    await sql`create table turns (n int)`.execute(db);
    const other = new pg.Client(own.databaseUrl);
    await other.connect();
    await other.query('begin');
    await other.query('lock table turns in exclusive mode');
    const write = sql`insert into turns values (1)`;
    const unanswered = [write.execute(db), inTransaction(db, (tx) => write.execute(tx))];
    for (const { reason } of (await Promise.allSettled(unanswered)) as PromiseRejectedResult[])
      expect([String(reason), isDatabaseUnavailable(reason)]).toEqual(['Error: Query read timeout', true]);
    const waiting = async () => {
      const { rows } = await own.admin.query(
        `select count(*)::int as n from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'`,
        [own.name],
      );
      return rows[0].n;
    };
    await expect.poll(waiting, { timeout: 20_000 }).toBe(0);
    await other.query('rollback');
    await write.execute(db);
    expect((await sql<{ n: number }>`select n from turns`.execute(db)).rows).toEqual([{ n: 1 }]);
    await other.end();
    await db.destroy();
    await own.close();
  },
);
