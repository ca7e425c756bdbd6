import { statSync } from 'node:fs';
import { Kysely, sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { openSqliteFile } from '../testing/sqlite-file.ts';
import { stopTime } from '../testing/stop-time.ts';
import type { Database } from './open.ts';
import { getAsideWriter, runPaced } from './paced-work.ts';
import type { Schema } from './schema.ts';
import type { SqliteFile } from './sqlite.ts';
import type { SqliteAside } from './sqlite-aside.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import { inTransaction } from './transaction.ts';

let db: Database;
let writer: Database;
let path: string;
beforeEach(async () => {
  ({ db, path } = await openSqliteFile());
  const found = getAsideWriter(db);
  if (!found) throw new Error('a SQLite file has a writer aside');
  writer = found;
});

/** Fills the feed with `count` rows in one statement. */
const fill = (to: Database, count: number) =>
  sql`insert into changes (number, at, id, change) with recursive numbers (n) as (
    select 1 union all select n + 1 from numbers where n < ${count}) select n, 0, n, '{}' from numbers`.execute(
    to,
  );
const readAt = async () => (await db.selectFrom('ready_probe').select('at').executeTakeFirstOrThrow()).at;

test('while a long statement writes aside, the event loop turns, reads are answered, and the rows that it changed are counted', async () => {
  let isOver = false;
  const long = fill(writer, 50_000).finally(() => {
    isOver = true;
  });
  let answers = 0;
  while (!isOver) {
    await readAt();
    answers++;
    await new Promise(setImmediate);
  }
  expect((await long).numAffectedRows).toBe(50_000n);
  // In the process's own connection the statement would have ended before the second one.
  expect(answers).toBeGreaterThan(2);
});

test('a write that finds the file locked by a write aside goes on when that one is answered, without waiting for a timer', async () => {
  stopTime();
  let isLocked = true;
  const file: SqliteFile = {
    run() {
      if (isLocked) throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
      return { rows: [] };
    },
    inTransaction: () => false,
    syncCommits: () => {},
    checkpointAt: () => {},
    expectLongWrites: () => {},
    close: () => {},
  };
  const { promise: ownWrite, resolve: answer } = Promise.withResolvers<void>();
  const aside: SqliteAside = {
    read: async () => [],
    write: async () => 0,
    takeHeldMs: () => 0,
    ownWrite: () => ownWrite,
    checkpoint: async () => {},
    close: async () => {},
  };
  const waiting = new Kysely<Schema>({ dialect: createSqliteDialect(file, aside) });
  const done = waiting.deleteFrom('ready_probe').execute();
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  isLocked = false;
  answer();
  await done;
});

test('a write aside that finds the file locked by a transaction of the process is tried again until it comes through', async () => {
  let aside: Promise<unknown> | undefined;
  await inTransaction(db, async (tx) => {
    await tx.updateTable('ready_probe').set({ at: 1 }).execute();
    aside = writer.updateTable('ready_probe').set({ at: 2 }).execute();
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  });
  await aside;
  expect(await readAt()).toBe(2);
});

test('a transaction on the writer aside is refused, because its statements would not be one', async () => {
  const refused = inTransaction(writer, (tx) => tx.updateTable('ready_probe').set({ at: 9 }).execute());
  await expect(refused).rejects.toThrow('each statement of the writer is a transaction of its own');
  expect(await readAt()).toBe(0);
});

function work(step: () => Promise<boolean>, clock = createManualClock()): Promise<void> {
  return runPaced(db, { clock, signal: new AbortController().signal, step });
}

test('while background work runs, no commit of the process copies the log into the file, and afterwards commits do again', async () => {
  const clock = createManualClock();
  const sizes: number[] = [];
  let steps = 0;
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  await work(async () => {
    if (++steps > 11) return false;
    // 300 pages and more. By itself, SQLite copies the log at the commit that brings it to 1,000.
    const change = 'x'.repeat(4_000);
    const rows = Array.from({ length: 300 }, (_, n) => ({
      number: steps * 300 + n,
      at: 0,
      id: String(n),
      change,
    }));
    await db.insertInto('changes').values(rows).execute();
    sizes.push(statSync(path).size);
    // The work copies the log once a second.
    if (steps === 10) clock.advance(1_000);
    return true;
  }, clock);
  expect(new Set(sizes.slice(0, 10)).size).toBe(1);
  expect(sizes[10]).toBeGreaterThan(sizes[9] ?? 0);
  const [{ wal_autocheckpoint: pages } = { wal_autocheckpoint: 0 }] = (
    await sql<{ wal_autocheckpoint: number }>`pragma wal_autocheckpoint`.execute(db)
  ).rows;
  expect(pages).toBe(1_000);
});

test('SQLite may keep 32 MiB of pages in memory while background work runs, and 4 MiB before and afterwards', async () => {
  const readCacheKib = async () =>
    -Number((await sql<{ cache_size: number }>`pragma cache_size`.execute(db)).rows[0]?.cache_size);
  const during: number[] = [];
  const before = await readCacheKib();
  await work(async () => {
    during.push(await readCacheKib());
    return during.length < 2;
  });
  await expect(work(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect([before, ...during, await readCacheKib()]).toEqual([4_096, 32_768, 32_768, 4_096]);
});
