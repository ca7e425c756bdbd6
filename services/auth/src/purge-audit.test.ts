import { createManualClock, databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addAuditRows } from './audit.fixture.ts';
import { createAuditPurge } from './purge-audit.ts';

const dayMs = 86_400_000;
const retention = { actsDays: 400, refusalsDays: 30, strangersDays: 7 };
const kinds = {
  act: { actor_kind: 'api-key', outcome: 'done' },
  'act of an anonymous viewer': { actor_kind: 'anonymous', outcome: 'done' },
  refusal: { actor_kind: 'viewer', outcome: 'refused' },
  'refusal of a stranger': { actor_kind: 'anonymous', outcome: 'refused' },
} as const;

describe.each(databaseKinds(process.env))('the purge of the audit on $name', ({ open }) => {
  let database: TestDatabase;
  let clock: ReturnType<typeof createManualClock>;
  beforeEach(async () => {
    database = await open();
    clock = createManualClock();
  });
  afterEach(() => database.close());

  const row = (kind: keyof typeof kinds, daysAgo: number) => ({
    at: clock.now() - daysAgo * dayMs,
    target: `${kind}, ${daysAgo} days`,
    ...kinds[kind],
  });
  const add = (rows: ReturnType<typeof row>[]) => addAuditRows(database.db, rows);
  /** As if purges had run meanwhile: they do not follow a step of the clock. */
  async function goOn(lengthMs: number) {
    clock.advance(lengthMs);
    await database.db.updateTable('purge_clock').set({ trusted_at: clock.now() }).execute();
  }
  /** On SQLite the highest row stays until another one follows: the next row would get its number. */
  const newest = () => row('act', 0);
  const left = async () =>
    (await database.db.selectFrom('audit').select('target').orderBy('number').execute()).map(
      ({ target }) => target,
    );

  test('each kind of audit row is removed after its own retention, and not before', async () => {
    const all = Object.keys(kinds) as (keyof typeof kinds)[];
    const days = [401, 399, 31, 29, 8, 6];
    await add([...days.flatMap((ago) => all.map((kind) => row(kind, ago))), newest()]);
    const purge = createAuditPurge({ ...database, clock, retention });
    expect(await purge.run()).toBe(1 + 1 + 3 + 5);
    const keep = { act: 400, 'act of an anonymous viewer': 400, refusal: 30, 'refusal of a stranger': 7 };
    expect(await left()).toEqual([
      ...days.flatMap((ago) => all.filter((kind) => ago < keep[kind]).map((kind) => `${kind}, ${ago} days`)),
      'act, 0 days',
    ]);
    await goOn(2 * dayMs);
    // Refusals of 29 days ago and a stranger's of 6, and acts of 399.
    expect(await purge.run()).toBe(4);
    expect(await purge.run()).toBe(0);
  });

  test('audit rows with a retention of 0 days are never removed', async () => {
    await add([row('act', 20_000), row('refusal of a stranger', 20_000), newest()]);
    const purge = createAuditPurge({ ...database, clock, retention: { ...retention, actsDays: 0 } });
    expect(await purge.run()).toBe(1);
    expect(await left()).toEqual(['act, 20000 days', 'act, 0 days']);
  });

  test('thousands of old audit rows are removed in steps of at most a thousand, also within one instant and between rows that stay', async () => {
    await add(Array.from({ length: 3_000 }, (_, n) => row(n % 3 === 2 ? 'act' : 'refusal of a stranger', 8)));
    let mostRows = 0;
    const watched = database.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        mostRows = Math.max(mostRows, result.rows.length, Number(result.numAffectedRows ?? 0));
        return result;
      },
    });
    expect(await createAuditPurge({ db: watched, clock, retention }).run()).toBe(2_000);
    expect(mostRows).toBeLessThanOrEqual(1_000);
    expect(await left()).toHaveLength(1_000);
  });

  test('a purge of the audit that is stopped ends after its step, and the next process continues', async () => {
    await add([...Array.from({ length: 2_000 }, () => row('refusal of a stranger', 8)), newest()]);
    const purge = createAuditPurge({ ...database, clock, retention });
    const running = purge.run();
    purge.stop();
    expect(await running).toBeLessThanOrEqual(500);
    await createAuditPurge({ ...database, clock, retention }).run();
    expect(await left()).toEqual(['act, 0 days']);
  });

  test('a row from the far future, of a clock that was wrong, does not keep the rows after it from being removed', async () => {
    await add([row('refusal', 31), row('refusal', -4_000), row('refusal', 31), newest()]);
    expect(await createAuditPurge({ ...database, clock, retention }).run()).toBe(2);
  });

  test('no number of a row is given again after a purge: a reader that continues from there would miss the row', async () => {
    await add([row('refusal of a stranger', 8), row('refusal of a stranger', 8)]);
    await createAuditPurge({ ...database, clock, retention }).run();
    await add([row('act', 0)]);
    const numbers = await database.db.selectFrom('audit').select('number').orderBy('number').execute();
    expect(numbers.at(-1)).toEqual({ number: 3 });
  });
});
