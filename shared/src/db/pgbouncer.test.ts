import { findTool } from '@latchkey/support/provide-tool';
import { startOwnPgBouncer } from '@latchkey/support/stores/own-pgbouncer';
import type { ServerProgram } from '@latchkey/support/stores/server-program';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createOwnPostgres, type OwnPostgres } from '../testing/own-postgres.ts';
import { migrate } from './migrate.ts';
import type { Database } from './open.ts';
import { rowList } from './row-list.ts';
import { inTransaction, lockSubject } from './transaction.ts';

const url = process.env.TEST_POSTGRES_URL ?? '';
const canStart = findTool('pgbouncer') !== undefined && url.includes('127.0.0.1');

describe.skipIf(!canStart)('behind PgBouncer in transaction mode', () => {
  let own: OwnPostgres;
  let bouncer: ServerProgram;

  beforeEach(async () => {
    own = await createOwnPostgres(url);
    const postgresPort = Number(new URL(url).port);
    bouncer = await startOwnPgBouncer({ postgresPort, poolSize: 3 });
  });
  afterEach(async () => {
    await bouncer.stop();
    await own.close();
  });

  function behindUrl(): string {
    const behind = new URL(own.databaseUrl);
    behind.port = String(bouncer.port);
    return behind.toString();
  }

  function open(options: Parameters<OwnPostgres['open']>[0] = {}): Database {
    const db = own.open({ databaseUrl: behindUrl(), ...options });
    onTestFinished(() => db.destroy());
    return db;
  }

  test('the schema is migrated by several processes at once, and no lock outlives them', async () => {
    const applied = await Promise.all([1, 2, 3].map(() => migrate(open({ longStatements: true }))));
    const once = applied.flat();
    expect(new Set(once).size).toBe(once.length);
    expect(once.length).toBeGreaterThan(0);
    const { rows } = await own.admin.query(
      "select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = $1)",
      [own.name],
    );
    expect(rows).toEqual([]);
  });

  test('every transaction has the settings of the code, whichever session it gets, and leaves none behind', async () => {
    await own.set("statement_timeout = '50ms'", 'synchronous_commit = off', "lock_timeout = '10ms'");
    const db = open();
    const settings = sql<{ t: string; s: string; l: string; i: string; pid: number }>`
      select current_setting('statement_timeout') as t, current_setting('synchronous_commit') as s,
        current_setting('lock_timeout') as l, current_setting('transaction_isolation') as i, pg_backend_pid() as pid`;
    const seen = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        index % 2 ? settings.execute(db) : inTransaction(db, (tx) => settings.execute(tx)),
      ),
    );
    const used = { t: '4s', s: 'on', l: '0', i: 'read committed' };
    for (const { rows } of seen) expect(rows).toMatchObject([used]);
    const other = new pg.Client(behindUrl());
    await other.connect();
    const { rows } = await other.query('show statement_timeout');
    await other.end();
    expect(rows).toEqual([{ statement_timeout: '50ms' }]);
  });

  test('statements that a session would keep work on every session, and a failed one leaves its connection usable', async () => {
    const db = open();
    await sql`create table turns (id int primary key)`.execute(db);
    const insert = (id: number) =>
      sql`insert into turns select id from ${rowList(db, { id: 'bigint' }, [{ id }])} as given`.execute(db);
    await Promise.all(Array.from({ length: 40 }, (_, id) => insert(id)));
    await expect(insert(7)).rejects.toThrow(/duplicate key/);
    await expect(inTransaction(db, (tx) => sql`select 1/0`.execute(tx))).rejects.toThrow(/division by zero/);
    const { rows } = await sql<{ n: number }>`select count(*) as n from turns`.execute(db);
    expect(rows).toEqual([{ n: 40 }]);
  });

  test('transactions on one subject take turns', async () => {
    const db = open();
    await sql`create table turns (n int)`.execute(db);
    await sql`insert into turns values (0)`.execute(db);
    await Promise.all(
      Array.from({ length: 20 }, () =>
        inTransaction(db, async (tx) => {
          await lockSubject(tx, 'turns', 'exclusive');
          const { rows } = await sql<{ n: number }>`select n from turns`.execute(tx);
          await sql`update turns set n = ${(rows[0]?.n ?? 0) + 1}`.execute(tx);
        }),
      ),
    );
    expect((await sql`select n from turns`.execute(db)).rows).toEqual([{ n: 20 }]);
  });

  test('with DATABASE_POOL_MODE=transaction a connection is treated as pooled although no pooler is noticed', async () => {
    const db = open({ databaseUrl: own.databaseUrl, poolMode: 'transaction' });
    await own.set("statement_timeout = '50ms'");
    const { rows } = await sql`select current_setting('statement_timeout') as t`.execute(db);
    expect(rows).toEqual([{ t: '4s' }]);
  });
});
