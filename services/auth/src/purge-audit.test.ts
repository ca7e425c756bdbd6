import { createManualClock, databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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
    actor_id: null,
    action: 'lease.list',
    target: `${kind}, ${daysAgo} days`,
    client_ip: null,
    request_id: null,
    code: null,
    ...kinds[kind],
  });
  async function add(rows: ReturnType<typeof row>[]) {
    for (let from = 0; from < rows.length; from += 1_000)
      await database.db
        .insertInto('audit')
        .values(rows.slice(from, from + 1_000))
        .execute();
  }
  const left = async () =>
    (await database.db.selectFrom('audit').select('target').orderBy('number').execute()).map(
      ({ target }) => target,
    );

  test('each kind of audit row is removed after its own retention, and not before', async () => {
    const all = Object.keys(kinds) as (keyof typeof kinds)[];
    await add(all.flatMap((kind) => [6, 8, 29, 31, 399, 401].map((days) => row(kind, days))));
    const purge = createAuditPurge({ ...database, clock, retention });
    expect(await purge.run()).toBe(1 + 1 + 3 + 5);
    expect(await left()).toEqual([
      ...[6, 8, 29, 31, 399].map((days) => `act, ${days} days`),
      ...[6, 8, 29, 31, 399].map((days) => `act of an anonymous viewer, ${days} days`),
      ...[6, 8, 29].map((days) => `refusal, ${days} days`),
      'refusal of a stranger, 6 days',
    ]);
    clock.advance(2 * dayMs);
    // Refusals of 29 days ago and a stranger's of 6, and acts of 399.
    expect(await purge.run()).toBe(4);
    expect(await purge.run()).toBe(0);
  });

  test('audit rows with a retention of 0 days are never removed', async () => {
    await add([row('act', 20_000), row('refusal of a stranger', 20_000)]);
    const purge = createAuditPurge({ ...database, clock, retention: { ...retention, actsDays: 0 } });
    expect(await purge.run()).toBe(1);
    expect(await left()).toEqual(['act, 20000 days']);
  });

  test('thousands of old audit rows are removed in steps of at most a thousand, also within one instant and between rows that stay', async () => {
    await add(Array.from({ length: 3_000 }, (_, n) => row(n % 3 === 0 ? 'act' : 'refusal of a stranger', 8)));
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
    await add(Array.from({ length: 2_000 }, () => row('refusal of a stranger', 8)));
    const purge = createAuditPurge({ ...database, clock, retention });
    const running = purge.run();
    purge.stop();
    expect(await running).toBeLessThanOrEqual(500);
    await createAuditPurge({ ...database, clock, retention }).run();
    expect(await left()).toEqual([]);
  });
});
