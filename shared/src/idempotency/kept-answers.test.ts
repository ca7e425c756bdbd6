import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, inTransaction, type Transaction } from '../db/index.ts';
import { createLedger } from '../events/database.ts';
import { createInProcessBus } from '../events/index.ts';
import { createManualClock, databaseKinds, planQueries, type TestDatabase } from '../testing/index.ts';
import { type Once, writeOnce } from './answer-once.ts';
import { answersKeptMs, claimIds, findAnswers, keepAnswers, removeAnswers } from './kept-answers.ts';
import { purgeAnswers } from './purge-answers.ts';

const table = 'auth_idempotency_keys';
const id = 'a'.repeat(64);
const answer = { id, bodyHash: 'b'.repeat(64), status: 201, answer: '{"n":1}' };

describe.each(databaseKinds(process.env))('kept answers on $name', (kind) => {
  let database: TestDatabase;
  let db: Database;
  const clock = createManualClock();
  beforeEach(async () => {
    database = await kind.open();
    db = database.db;
  });
  afterEach(() => database.close());

  const find = async () => (await findAnswers(db, table, [id], clock.now())).get(id);
  const claim = (tx: Transaction) => claimIds(tx, table, [id], clock.now());
  const keep = (kept = answer) => inTransaction(db, (tx) => keepAnswers(tx, table, [kept], clock.now()));
  const count = async () => (await db.selectFrom(table).select('id').execute()).length;

  it('an answer is kept for 24 h. Then its key is free, whether or not the purge has removed the row', async () => {
    await keep();
    clock.advance(answersKeptMs - 1);
    expect([await find(), await inTransaction(db, claim)]).toEqual([answer, [false]]);
    clock.advance(1);
    expect([await find(), await inTransaction(db, claim)]).toEqual([undefined, [true]]);
    const next = { ...answer, bodyHash: 'c'.repeat(64), status: 200, answer: '{"n":2}' };
    await keep(next);
    expect([await find(), await count()]).toEqual([next, 1]);
  });

  it('the purge removes the answers of more than 24 h ago, and no other', async () => {
    const purge = () => purgeAnswers(table, { db, clock, signal: new AbortController().signal });
    /** In half hours, because purges follow no larger step of the clock. */
    const pass = async (hours: number) => {
      let removed = 0;
      for (let half = 0; half < 2 * hours; half++) {
        clock.advance(1_800_000);
        removed += await purge();
      }
      return removed;
    };
    await purge();
    await keep();
    await pass(12);
    await keep({ ...answer, id: 'd'.repeat(64) });
    expect([await pass(11.5), await count()]).toEqual([0, 2]);
    expect([await pass(0.5), await count()]).toEqual([1, 1]);
  });

  it('a claim of many keys reports each by itself', async () => {
    await keep();
    const ids = ['1', '2'].map((digit) => digit.repeat(64));
    const [first = '', second = ''] = ids;
    const claimed = await inTransaction(db, (tx) => claimIds(tx, table, [first, id, second], clock.now()));
    expect(claimed).toEqual([true, false, true]);
  });

  it('of ten writers with one key at the same time one acts, and an act that fails leaves the key free', async () => {
    const ledger = createLedger({ db, bus: createInProcessBus(() => {}), clock });
    const once: Once<number> = { ...answer, table, answerOf: (n) => ({ status: 201, answer: `{"n":${n}}` }) };
    const failing = writeOnce(ledger, once, async () => {
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect(await find()).toBeUndefined();
    const acted: number[] = [];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) =>
        writeOnce(ledger, once, async (entry) => {
          await entry.change({ kind: 'api-key', keyHash: `${n}` });
          acted.push(n);
          return n;
        }),
      ),
    );
    expect(acted).toHaveLength(1);
    const codes = outcomes.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.code));
    expect(codes.toSorted().slice(1)).toEqual(Array(9).fill('IDEMPOTENCY_KEY_IN_USE'));
    expect(await find()).toEqual({ ...answer, answer: `{"n":${acted[0]}}` });
    expect(await db.selectFrom('changes').select('number').execute()).toHaveLength(1);
  });

  it('a key that another transaction has is refused without waiting, and is free again if that one is undone', async () => {
    // SQLite has one writer at a time.
    if (kind.name === 'SQLite') return;
    const [claimed, undo] = [Promise.withResolvers<boolean[]>(), Promise.withResolvers<void>()];
    const other = inTransaction(db, async (tx) => {
      claimed.resolve(await claim(tx));
      await keepAnswers(tx, table, [answer], clock.now());
      await undo.promise;
      throw new Error('undone');
    });
    expect(await claimed.promise).toEqual([true]);
    expect(await inTransaction(db, claim)).toEqual([false]);
    undo.resolve();
    await expect(other).rejects.toThrow('undone');
    expect(await inTransaction(db, claim)).toEqual([true]);
  });

  it('a look-up and the purge search by an index', async () => {
    const plans = await planQueries(db, async (planned) => {
      await findAnswers(planned, table, [id], 0);
      await removeAnswers(planned, table, 0, 10);
    });
    // Postgres reads small tables from end to end.
    if (kind.name === 'SQLite') expect(plans.flatMap(({ tableScans }) => tableScans)).toEqual([]);
    expect(plans).toHaveLength(2);
  });
});
