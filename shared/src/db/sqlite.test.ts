import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isDatabaseUnavailable } from './database-fault.ts';
import { migrate } from './migrate.ts';
import { type Database, openDatabase, type Transaction } from './open.ts';
import { inTransaction, inUnsyncedTransaction } from './transaction.ts';

let db: Database;
beforeEach(async () => {
  db = openDatabase({ sqlitePath: ':memory:' });
  await migrate(db);
});
afterEach(() => db.destroy());

async function insert(tx: Transaction, id: string, metadata = '{}'): Promise<void> {
  const usual = { name: id, search_text: id, status: 'active', size_bytes: null, manifest_key: null };
  const times = { created_at: 1, updated_at: 1 };
  await tx
    .insertInto('contents')
    .values({ id, ...usual, key_version: 1, metadata, ...times })
    .execute();
}
const ids = async () =>
  (await db.selectFrom('contents').select('id').orderBy('id').execute()).map(({ id }) => id);
/** Allows no more pages than the file has: SQLite raises a lower limit to their number. */
const fill = () => sql`pragma max_page_count = 1`.execute(db);
const makeRoom = () => sql`pragma max_page_count = 1000000`.execute(db);
/** More than fits into the pages that there are. */
const large = JSON.stringify('x'.repeat(100_000));

test('a transaction on a full disk fails without a trace, and the next one works', async () => {
  await fill();
  const attempt = inTransaction(db, async (tx) => {
    await insert(tx, 'small');
    await insert(tx, 'large', large);
  });
  const error = await attempt.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'SQLITE_FULL' });
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(await ids()).toEqual([]);

  await inTransaction(db, (tx) => insert(tx, 'a'));
  await makeRoom();
  await inTransaction(db, (tx) => insert(tx, 'b', large));
  expect(await ids()).toEqual(['a', 'b']);
});

test('a transaction that fails in our code is rolled back, also after one that SQLite ended', async () => {
  await fill();
  await expect(inTransaction(db, (tx) => insert(tx, 'large', large))).rejects.toThrow('is full');
  const attempt = inTransaction(db, async (tx) => {
    await insert(tx, 'a');
    throw new Error('changed my mind');
  });
  await expect(attempt).rejects.toThrow('changed my mind');
  expect(await ids()).toEqual([]);
});

test('a transaction whose commit does not wait for the disk leaves all others waiting for it, however it ends', async () => {
  const syncOf = async (on: Database | Transaction) =>
    (await sql<{ synchronous: number }>`pragma synchronous`.execute(on)).rows[0]?.synchronous;
  // sqlite.org/pragma.html#pragma_synchronous
  const [normal, full] = [1, 2];
  let another: Promise<unknown> | undefined;
  await inUnsyncedTransaction(db, async (tx) => {
    expect(await syncOf(tx)).toBe(normal);
    another = inTransaction(db, async (other) => {
      expect(await syncOf(other)).toBe(full);
      await insert(other, 'b');
    });
    await insert(tx, 'a');
  });
  expect(await syncOf(db)).toBe(full);
  await another;
  expect(await ids()).toEqual(['a', 'b']);

  const failing = inUnsyncedTransaction(db, async (tx) => {
    await insert(tx, 'c');
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  expect(await syncOf(db)).toBe(full);

  await fill();
  await expect(inUnsyncedTransaction(db, (tx) => insert(tx, 'large', large))).rejects.toThrow('is full');
  expect(await syncOf(db)).toBe(full);
  await makeRoom();
  expect(await ids()).toEqual(['a', 'b']);
});
