import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { openSqliteFile } from '../testing/sqlite-file.ts';
import { isDatabaseUnavailable } from './database-fault.ts';
import type { Database } from './open.ts';
import { readAside } from './read-aside.ts';
import { inTransaction } from './transaction.ts';

let db: Database;
beforeEach(async () => {
  ({ db } = await openSqliteFile());
});

const countTo = (last: number) =>
  db
    .withRecursive('numbers', (with_) =>
      with_
        .selectNoFrom(sql<number>`1`.as('n'))
        .unionAll(with_.selectFrom('numbers').select(sql<number>`n + 1`.as('n')).where('n', '<', last)),
    )
    .selectFrom('numbers')
    .select((eb) => eb.fn.countAll<number>().as('count'));
const readProbe = (from: Database) => from.selectFrom('ready_probe').select('at');
const write = (to: Pick<Database, 'updateTable'>, at: number) =>
  to.updateTable('ready_probe').set({ at }).execute();

test('while a long read of a SQLite file runs aside, the event loop turns and other statements are answered', async () => {
  let isOver = false;
  const long = readAside(db, countTo(500_000)).finally(() => {
    isOver = true;
  });
  let answers = 0;
  while (!isOver) {
    await write(db, ++answers);
    await new Promise(setImmediate);
  }
  expect(await long).toEqual([{ count: 500_000 }]);
  // In the process's own connection the read would have ended before the second one.
  expect(answers).toBeGreaterThan(2);
});

test('a read aside sees what was committed before it, and in a transaction what the transaction has written', async () => {
  await write(db, 1);
  expect(await readAside(db, readProbe(db))).toEqual([{ at: 1 }]);
  await inTransaction(db, async (tx) => {
    await write(tx, 2);
    expect(await readAside(tx, readProbe(tx))).toEqual([{ at: 2 }]);
    expect(await readAside(db, readProbe(db))).toEqual([{ at: 1 }]);
  });
});

test('a read aside that SQLite refuses fails with its code, and the next one is answered', async () => {
  const wrong = sql`select nothing from nowhere`.compile(db);
  await expect(readAside(db, { compile: () => wrong })).rejects.toMatchObject({ code: 'SQLITE_ERROR' });
  expect(await readAside(db, countTo(3))).toEqual([{ count: 3 }]);
});

test('a read aside that the end of the database breaks off fails as an unavailable database, and so do later ones', async () => {
  const broken = readAside(db, countTo(1_000_000)).catch((error: unknown) => error);
  await db.destroy();
  expect(isDatabaseUnavailable(await broken)).toBe(true);
  expect(isDatabaseUnavailable(await readAside(db, countTo(1)).catch((error: unknown) => error))).toBe(true);
});
