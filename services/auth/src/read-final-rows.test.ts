import { createManualClock, databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addAuditRows } from './audit.fixture.ts';
import { type ReadingPlace, readFinalRows } from './read-final-rows.ts';

describe.each(databaseKinds(process.env))('reading the audit on $name', ({ name, open }) => {
  let database: TestDatabase;
  let place: ReadingPlace;
  let clock: ReturnType<typeof createManualClock>;
  beforeEach(async () => {
    database = await open();
    clock = createManualClock();
    place = { passed: 0, waiting: [] };
  });
  afterEach(() => database.close());

  const add = (target: string, row: Record<string, unknown> = {}) =>
    addAuditRows(database.db, [{ at: clock.now(), target, ...row }]);
  /** As a reader does that continues from its last place. */
  async function read(limit = 10) {
    const { rows, next } = await readFinalRows(database.db, place, { now: clock.now(), limit });
    place = next;
    return rows.map(({ target, affected, count }) => [target, affected ?? count].join(' ').trim());
  }

  test('a revocation whose number of leases is still to come, and a group of refusals that may grow, let later rows pass and are read once they are final', async () => {
    await add('revoked');
    await add('refused', { outcome: 'refused', count: 1 });
    await add('later');
    await sql`insert into revocations (viewer_id, content_id, created_after, revoked_up_to, expiring_after, revoked_at, audit_number)
      values ('', 'film', 0, 1, 0, 1, 1)`.execute(database.db);
    expect([await read(), await read()]).toEqual([['later'], []]);
    await database.db.updateTable('audit').set({ affected: 12 }).where('number', '=', 1).execute();
    await database.db.updateTable('revocations').set({ finished_at: clock.now() }).execute();
    await database.db.updateTable('audit').set({ count: 3 }).where('number', '=', 2).execute();
    expect([await read(), await read()]).toEqual([['revoked 12'], []]);
    clock.advance(121_000);
    expect([await read(), await read(), place.waiting]).toEqual([['refused 3'], [], []]);
  });

  // SQLite has one writer at a time, so there no row commits late, and no number is lost.
  test.runIf(name === 'Postgres')(
    'a row that commits after later ones is read, and the number of one that was undone is waited for half a minute',
    async () => {
      const undone = database.db.transaction().execute(async (tx) => {
        await addAuditRows(tx, [{ at: clock.now(), target: 'undone' }]);
        throw new Error('as a conflict');
      });
      await expect(undone).rejects.toThrow('as a conflict');
      await database.db.transaction().execute(async (tx) => {
        await addAuditRows(tx, [{ at: clock.now(), target: 'early' }]);
        await add('late');
        expect(await read()).toEqual(['late']);
      });
      expect([await read(), place.waiting.map(([number]) => number)]).toEqual([['early'], [1]]);
      clock.advance(30_000);
      expect([await read(), place.waiting]).toEqual([[], []]);
    },
  );

  test('while more rows wait than are remembered, no later row is read, and none is missed', async () => {
    const groups = Array.from({ length: 2_100 }, () => ({ at: clock.now(), outcome: 'refused', count: 1 }));
    await addAuditRows(database.db, groups);
    await add('act');
    expect([await read(5_000), place.waiting.length]).toEqual([[], 2_000]);
    clock.advance(121_000);
    expect([...(await read(5_000)), ...(await read(5_000))]).toHaveLength(2_101);
  });
});
