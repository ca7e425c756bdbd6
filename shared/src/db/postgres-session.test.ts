import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createOwnPostgres, type OwnPostgres } from '../testing/own-postgres.ts';
import type { Database } from './open.ts';
import { DatabaseIsStandby, prepareSession, readOverriddenSettings } from './postgres-session.ts';
import { inTransaction } from './transaction.ts';

const url = process.env.TEST_POSTGRES_URL ?? '';

describe.skipIf(url === '')('on Postgres', () => {
  let own: OwnPostgres;
  const opened: Database[] = [];

  beforeEach(async () => {
    own = await createOwnPostgres(url);
  });

  afterEach(async () => {
    for (const db of opened.splice(0)) await db.destroy();
    await own.close();
  });

  function open(longStatements = false): Database {
    const db = own.open({ longStatements });
    opened.push(db);
    return db;
  }

  async function show(db: Database, setting: string): Promise<unknown> {
    const { rows } = await sql<{ value: string }>`select current_setting(${setting}) as value`.execute(db);
    return rows[0]?.value;
  }

  test('a session replaces the isolation level, the durability and the time limits that the database or its role would give it', async () => {
    await own.set(
      "default_transaction_isolation = 'repeatable read'",
      'default_transaction_deferrable = on',
      'synchronous_commit = off',
      "statement_timeout = '50ms'",
      "lock_timeout = '10ms'",
      "idle_in_transaction_session_timeout = '1h'",
      "idle_session_timeout = '1s'",
    );
    const expected = {
      default_transaction_isolation: 'read committed',
      default_transaction_deferrable: 'off',
      synchronous_commit: 'on',
      statement_timeout: '4s',
      lock_timeout: '0',
      idle_in_transaction_session_timeout: '4s',
      idle_session_timeout: '0',
      random_page_cost: '1.1',
    };
    const db = open();
    for (const [setting, value] of Object.entries(expected)) {
      expect([setting, await show(db, setting)]).toEqual([setting, value]);
    }
    expect(await show(open(true), 'statement_timeout')).toBe('0');
  });

  test.each([
    ['remote_write', 'on'],
    ['remote_apply', 'remote_apply'],
  ])(
    'a database whose synchronous_commit is %s gets sessions with %s: weaker ones are raised, stronger ones kept',
    async (found, used) => {
      await own.set(`synchronous_commit = ${found}`);
      expect(await show(open(), 'synchronous_commit')).toBe(used);
    },
  );

  test('a database that its operator set to read-only stays read-only', async () => {
    await own.set('default_transaction_read_only = on');
    expect(await show(open(), 'default_transaction_read_only')).toBe('on');
  });

  test('a transaction that waited for a lock sees what was committed meanwhile, though the database would give it one snapshot', async () => {
    await own.set("default_transaction_isolation = 'repeatable read'");
    const db = open();
    await sql`create table turns (id int primary key, n int)`.execute(db);
    await sql`insert into turns values (1, 0)`.execute(db);
    const other = new pg.Client(own.databaseUrl);
    await other.connect();
    await other.query('begin isolation level read committed');
    await other.query('select pg_advisory_xact_lock(7)');
    await other.query('update turns set n = 1');
    const seen = inTransaction(db, async (tx) => {
      await sql`select 1 from turns`.execute(tx);
      await sql`select pg_advisory_xact_lock(7)`.execute(tx);
      return (await sql<{ n: number }>`select n from turns`.execute(tx)).rows;
    });
    // Once it waits for the lock.
    for (;;) {
      const { rows } = await other.query(
        "select 1 from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
      );
      if (rows.length > 0) break;
    }
    await other.query('commit');
    expect(await seen).toEqual([{ n: 1 }]);
    await other.end();
  });

  test('each setting that the code overrides is named with what was found, and stronger or usual ones are not', async () => {
    await own.set(
      "default_transaction_isolation = 'serializable'",
      'synchronous_commit = off',
      "lock_timeout = '1s'",
    );
    expect(await readOverriddenSettings(open())).toEqual([
      { name: 'default_transaction_isolation', found: 'serializable', used: 'read committed' },
      { name: 'lock_timeout', found: '1000', used: '0' },
      { name: 'synchronous_commit', found: 'off', used: 'on' },
    ]);
    await own.set('synchronous_commit = remote_apply');
    for (const setting of ['default_transaction_isolation', 'lock_timeout']) {
      await own.admin.query(`alter database ${own.name} reset ${setting}`);
    }
    expect(await readOverriddenSettings(open())).toEqual([]);
  });
});

test('a session on a standby is refused with a message that explains what to do', async () => {
  const answered: string[] = [];
  const standby = {
    query: async (text: string) => {
      answered.push(text);
      return { rows: [{ isStandby: true }] } as never;
    },
  };
  const refused = prepareSession(standby, false);
  await expect(refused).rejects.toThrow(DatabaseIsStandby);
  await expect(refused).rejects.toThrow(/DATABASE_URL leads to a standby.*primary/);
  // One round trip: a new connection is part of a request.
  expect(answered).toHaveLength(1);
});
