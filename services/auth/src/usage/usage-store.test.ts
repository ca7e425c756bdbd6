import { randomBytes } from 'node:crypto';
import type { UsageCount, UsageKind } from '@latchkey/shared/contracts';
import { isPostgres } from '@latchkey/shared/db';
import { seriesKept } from '@latchkey/shared/statistics';
import {
  createManualClock,
  databaseKinds,
  findUnboundedScans,
  type ManualClock,
  planQueries,
  type TestDatabase,
} from '@latchkey/shared/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createUsagePurge } from './purge-usage.ts';
import { readUsage, type UsageQuestion } from './read-usage.ts';
import { createUsageTrim } from './trim-usage.ts';
import { createUsageWriter } from './write-usage.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const retention = { days: 30, minutesHours: 48 };

describe.each(databaseKinds(process.env))('usage on $name', (kind) => {
  let database: TestDatabase;
  let clock: ManualClock;
  beforeAll(async () => {
    database = await kind.open();
  });
  beforeEach(async () => {
    for (const table of ['usage_counts', 'usage_reports'] as const)
      await database.db.deleteFrom(table).execute();
    clock = createManualClock();
    // The middle of an hour.
    clock.advance(hourMs - (clock.now() % hourMs) + hourMs / 2);
  });
  afterAll(() => database.close());

  const options = () => ({
    db: database.db,
    clock,
    retention,
    signal: new AbortController().signal,
  });
  const newId = () => `${randomBytes(16).toString('hex')}-1`;
  const count = (of: UsageCount['kind'], series: string, served: number, refused = 0): UsageCount => ({
    ...{ requests: 'keys', kind: of, series, served, refused },
  });
  const write = (counts: UsageCount[], at = clock.now(), id = newId()) =>
    createUsageWriter(options())({ id, at: at - (at % minuteMs), counts });
  const question = (by: UsageKind, given: Partial<UsageQuestion> = {}): UsageQuestion => ({
    ...{ requests: 'keys', by, id: null, limit: 8, sort: 'requests', span: 60, stepMs: minuteMs },
    ...{ from: clock.now() - hourMs - (clock.now() % minuteMs), to: clock.now() + minuteMs },
    ...given,
  });
  const rowsOf = async (span: number) => {
    const { rows } = await sql<{ count: number }>`
      select cast(count(*) as bigint) as count from usage_counts where span = ${span}`.execute(database.db);
    return Number(rows[0]?.count);
  };

  test('reports of several processes for one minute are added up', async () => {
    const [first, second] = [
      [count('total', '', 10, 1), count('viewer', 'ada', 6, 1), count('viewer', 'bob', 4)],
      [count('total', '', 5), count('viewer', 'ada', 5)],
    ];
    await Promise.all([write(first), write(second)]);
    const { totals, series, other } = await readUsage(database.db, question('viewer'));
    const at = clock.now() - (clock.now() % minuteMs);
    expect(totals).toEqual({ served: 15, refused: 1, points: [{ at, served: 15, refused: 1 }] });
    expect(series).toEqual([
      { id: 'ada', served: 11, refused: 1, points: [{ at, served: 11, refused: 1 }] },
      { id: 'bob', served: 4, refused: 0, points: [{ at, served: 4, refused: 0 }] },
    ]);
    expect(other).toEqual({ served: 0, refused: 0, points: [] });
  });

  test('a report that is sent again, even at once, counts once', async () => {
    const id = newId();
    const counts = [count('total', '', 3), count('code', 'LEASE_REVOKED', 0, 2)];
    await Promise.all([write(counts, clock.now(), id), write(counts, clock.now(), id)]);
    await write(counts, clock.now(), id);
    const { totals, series } = await readUsage(database.db, question('code'));
    expect([totals.served, series[0]?.refused]).toEqual([3, 2]);
  });

  test('a late report is counted at its own minute, and one from a clock that is ahead at the present one', async () => {
    const late = clock.now() - 30 * minuteMs;
    await write([count('total', '', 1)], late);
    await write([count('total', '', 2)], clock.now() + dayMs);
    const { points } = (await readUsage(database.db, question('code'))).totals;
    const floor = (at: number) => at - (at % minuteMs);
    expect(points).toEqual([
      { at: floor(late), served: 1, refused: 0 },
      { at: floor(clock.now()), served: 2, refused: 0 },
    ]);
  });

  test('minutes, ten minutes and hours have the same totals, and an empty step has no point', async () => {
    const start = clock.now() - (clock.now() % hourMs) - hourMs;
    for (const minute of [0, 9, 10, 59]) await write([count('total', '', 1)], start + minute * minuteMs);
    const range = { from: start, to: start + hourMs };
    const points = [];
    for (const [span, stepMs] of [
      [60, minuteMs],
      [600, 10 * minuteMs],
      [3_600, hourMs],
      [3_600, 2 * hourMs],
    ] as const) {
      const { totals } = await readUsage(
        database.db,
        question('code', { ...range, from: start - (start % stepMs), span, stepMs }),
      );
      expect(totals.served).toBe(4);
      points.push(totals.points.length);
    }
    expect(points).toEqual([4, 3, 1, 1]);
  });

  test('beyond the limit the busiest series stand apart, and the rest is one', async () => {
    const counts = Array.from({ length: 12 }, (_, n) => count('content', `film-${n}`, n + 1));
    await write([count('total', '', 78), ...counts, count('content', '', 100)]);
    const { series, other } = await readUsage(database.db, question('content', { limit: 2 }));
    expect(series.map(({ id, served }) => [id, served])).toEqual([
      ['film-11', 12],
      ['film-10', 11],
    ]);
    expect(other.served).toBe(78 - 12 - 11 + 100);
    const one = await readUsage(database.db, question('content', { id: 'film-3' }));
    expect(one.series.map(({ id, served }) => [id, served])).toEqual([['film-3', 4]]);
  });

  test('by refusals, the series with the most of them are first, and those without one are left out', async () => {
    const leases = { requests: 'leases' as const };
    await write([
      ...[count('total', '', 120, 8), { ...count('total', '', 1, 5), ...leases }],
      ...[count('viewer', 'busy', 100), count('viewer', 'ada', 20, 3), count('viewer', 'bob', 0, 4)],
      ...[{ ...count('viewer', 'ada', 1, 5), ...leases }, count('viewer', '', 0, 1)],
    ]);
    const read = async (given: Partial<UsageQuestion>) => {
      const { totals, series, other } = await readUsage(
        database.db,
        question('viewer', { sort: 'refused', ...given }),
      );
      return [totals.refused, series.map(({ id, refused }) => [id, refused]), other.refused];
    };
    expect(await read({})).toEqual([
      8,
      [
        ['bob', 4],
        ['ada', 3],
      ],
      1,
    ]);
    expect(await read({ requests: 'all' })).toEqual([
      13,
      [
        ['ada', 8],
        ['bob', 4],
      ],
      1,
    ]);
    expect(await read({ requests: 'all', limit: 1 })).toEqual([13, [['ada', 8]], 5]);
  });

  test('an hour that is over keeps its busiest series, and its totals are exact', async () => {
    // Each minute and each process has other viewers.
    const start = clock.now() - (clock.now() % hourMs) - hourMs;
    const trim = createUsageTrim(options());
    for (let minute = 0; minute < 10; minute++)
      await write(
        [
          count('total', '', seriesKept + 5),
          ...Array.from({ length: seriesKept }, (_, n) => count('viewer', `viewer-${minute}-${n}`, 1)),
          count('viewer', 'busy', 5),
        ],
        start + minute * minuteMs,
      );
    expect(await rowsOf(3_600)).toBe(10 * seriesKept + 2);
    await trim.run();
    // The total, the busiest ones, and one row of all others.
    expect(await rowsOf(3_600)).toBe(seriesKept + 2);
    const hours = { span: 3_600, stepMs: hourMs, from: start, to: start + hourMs } as const;
    const { series, other } = await readUsage(database.db, question('viewer', { ...hours, limit: 1 }));
    expect(series.map(({ id, served }) => [id, served])).toEqual([['busy', 50]]);
    expect(other.served).toBe(10 * seriesKept);
    await trim.run();
    expect(await rowsOf(3_600)).toBe(seriesKept + 2);
  });

  test('minutes and hours are removed after their own retention, and not before', async () => {
    const counts = [count('total', '', 1), count('viewer', 'ada', 1)];
    for (const agoMs of [51 * hourMs, 47 * hourMs, 31 * dayMs, 29 * dayMs]) {
      const now = clock.now();
      clock.advance(-agoMs);
      await write(counts);
      clock.advance(agoMs);
      expect(clock.now()).toBe(now);
    }
    await createUsagePurge(options()).run();
    expect([await rowsOf(60), await rowsOf(600), await rowsOf(3_600)]).toEqual([2, 2, 6]);
    const left = await database.db.selectFrom('usage_reports').select('id').execute();
    expect(left).toHaveLength(0);
  });

  test('usage of a month reads only the rows of its kind and range, by the primary key', async () => {
    const series = isPostgres(database.db)
      ? sql`generate_series(cast(0 as bigint), 49999) as numbers(n)`
      : sql`(with recursive counted(n) as (select 0 union all select n + 1 from counted where n < 49999) select n from counted) as numbers`;
    await sql`insert into usage_counts (span, requests, kind, at, series, served, refused)
      select 3600, 'keys', case n % 4 when 0 then 'viewer' when 1 then 'content' when 2 then 'code' else 'total' end,
        ${sql.lit(clock.now() - (clock.now() % hourMs))} - (n / 40) * ${sql.lit(hourMs)}, cast(n as text), 1, 0 from ${series}`.execute(
      database.db,
    );
    await sql`${sql.raw(isPostgres(database.db) ? 'vacuum analyze' : 'analyze')}`.execute(database.db);
    const range = {
      span: 3_600,
      stepMs: 2 * hourMs,
      from: clock.now() - 10 * dayMs,
      to: clock.now(),
    } as const;
    const plans = await planQueries(database.db, async (db) => {
      for (const by of ['code', 'viewer'] as const) await readUsage(db, question(by, range));
      await readUsage(db, question('viewer', { ...range, id: '4' }));
      await readUsage(db, question('viewer', { ...range, requests: 'all', sort: 'refused' }));
    });
    expect(plans).toHaveLength(11);
    expect(findUnboundedScans(plans, [])).toEqual([]);
  });
});
