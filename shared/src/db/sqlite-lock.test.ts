import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stopTime } from '../testing/stop-time.ts';
import { isDatabaseUnavailable } from './database-fault.ts';
import { migrate } from './migrate.ts';
import { type Database, openDatabase } from './open.ts';
import { inTransaction } from './transaction.ts';

let folder: string;
let db: Database;
/** Another process, as far as SQLite knows: a connection of its own. */
let other: SqliteDatabase.Database;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-lock-'));
  const sqlitePath = join(folder, 'latchkey.db');
  db = openDatabase({ sqlitePath });
  await migrate(db);
  other = new SqliteDatabase(sqlitePath);
});
afterEach(async () => {
  other.close();
  await db.destroy();
  rmSync(folder, { recursive: true });
});

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

test('what is asked after the end fails, and nothing is left waiting', async () => {
  const reads = [readAt(), readAt()];
  await Promise.all(reads);
  await db.destroy();
  await expect(readAt()).rejects.toThrow('destroyed');
});
