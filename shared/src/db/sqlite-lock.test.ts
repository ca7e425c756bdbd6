import SqliteDatabase from 'better-sqlite3';
import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteFile } from '../testing/sqlite-file.ts';
import { stopTime } from '../testing/stop-time.ts';
import { isDatabaseUnavailable } from './database-fault.ts';
import type { Database } from './open.ts';
import type { Schema } from './schema.ts';
import type { SqliteFile } from './sqlite.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import { inTransaction, inUnsyncedTransaction } from './transaction.ts';

let db: Database;
/** Another process, as far as SQLite knows: a connection of its own. */
let other: SqliteDatabase.Database;
beforeEach(async () => {
  const file = await openSqliteFile();
  db = file.db;
  other = new SqliteDatabase(file.path);
});
afterEach(() => void other.close());

const readAt = async () => (await db.selectFrom('ready_probe').select('at').executeTakeFirstOrThrow()).at;
const write = (at: number) => db.updateTable('ready_probe').set({ at }).execute();

test('while another process writes, reads are answered and the event loop goes on, and what waits to write is written afterwards', async () => {
  other.exec('begin immediate; update ready_probe set at = 1');
  const written = [
    write(2),
    inTransaction(db, (tx) => tx.updateTable('ready_probe').set({ at: 3 }).execute()),
  ];
  // With SQLite's own wait the lock would be released only after this thread had slept for it.
  for (let read = 0; read < 20; read++) expect(await readAt()).toBe(0);
  other.exec('commit');
  await Promise.all(written);
  expect([2, 3]).toContain(await readAt());
});

test('a write that finds the file locked for 2 seconds fails as an unavailable database, and the next one comes through', async () => {
  const time = stopTime();
  other.exec('begin immediate');
  const failed = write(2).catch((error: unknown) => error);
  for (let step = 0; step < 100; step++) {
    await readAt();
    time.advance(25);
  }
  expect(isDatabaseUnavailable(await failed)).toBe(true);
  other.exec('rollback');
  await write(4);
  expect(await readAt()).toBe(4);
});

test('a write that waits for another process goes on within 5 ms of the end of that write, however long it waited, and so do all that wait behind it', async () => {
  const time = stopTime();
  const advance = async (ms: number) => {
    for (let step = 0; step < ms; step++) {
      time.advance(1);
      // Lets what the timer woke run to its next wait.
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    }
  };
  for (const heldMs of [3, 130]) {
    other.exec('begin immediate');
    let done = 0;
    const writes = Array.from({ length: 100 }, async (_, n) => {
      await (n % 2
        ? write(n)
        : inTransaction(db, (tx) => tx.updateTable('ready_probe').set({ at: n }).execute()));
      done++;
    });
    await advance(heldMs);
    expect(done).toBe(0);
    other.exec('rollback');
    await advance(5);
    // Only turns of the event loop from here on: nobody behind the first one waits for a timer of its own.
    for (let turn = 0; turn < 2_000 && done < 100; turn++) await new Promise(setImmediate);
    expect(done).toBe(100);
    await Promise.all(writes);
  }
});

test('of a hundred writes that wait for another process, one at a time asks for the lock', async () => {
  const time = stopTime();
  let tries = 0;
  let isLocked = true;
  const file: SqliteFile = {
    run() {
      tries++;
      if (isLocked) throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
      return { rows: [] };
    },
    inTransaction: () => false,
    syncCommits: () => {},
    checkpointAt: () => {},
    expectLongWrites: () => {},
    close: () => {},
  };
  const waiting = new Kysely<Schema>({ dialect: createSqliteDialect(file) });
  const writes = Array.from({ length: 100 }, () => waiting.deleteFrom('ready_probe').execute());
  for (let step = 0; step < 1_000; step++) {
    time.advance(1);
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  }
  // Each once as it comes, then the first one every 2 ms. A hundred that try every 25 ms would be 4,000 in a second.
  expect(tries).toBeLessThanOrEqual(100 + 500);
  isLocked = false;
  for (let step = 0; step < 5; step++) {
    time.advance(1);
    await new Promise(setImmediate);
  }
  await Promise.all(writes);
});

test('a transaction that finds the file locked and need not wait for the disk changes nothing for the writes of others', async () => {
  other.exec('begin immediate');
  const waiting = inUnsyncedTransaction(db, (tx) => tx.updateTable('ready_probe').set({ at: 7 }).execute());
  for (let read = 0; read < 5; read++) await readAt();
  expect((await sql`pragma synchronous`.execute(db)).rows).toEqual([{ synchronous: 2 }]);
  other.exec('rollback');
  await waiting;
  expect(await readAt()).toBe(7);
  expect((await sql`pragma synchronous`.execute(db)).rows).toEqual([{ synchronous: 2 }]);
});

test('statements of others do not become part of a transaction, and go on once it is rolled back', async () => {
  let outside: Promise<unknown> | undefined;
  const failing = inTransaction(db, async (tx) => {
    await tx.updateTable('ready_probe').set({ at: 5 }).execute();
    outside = write(6);
    await tx.selectFrom('ready_probe').select('at').execute();
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  await outside;
  expect(await readAt()).toBe(6);
});

test('a statement after the end of the database fails, and no statement is left waiting', async () => {
  const reads = [readAt(), readAt()];
  await Promise.all(reads);
  await db.destroy();
  await expect(readAt()).rejects.toThrow('destroyed');
});
