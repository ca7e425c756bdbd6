import { inTransaction } from '@latchkey/shared/db';
import { purgeChanges } from '@latchkey/shared/events/database';
import { createManualClock, databaseKinds, planQueries } from '@latchkey/shared/testing';
import { expect, test } from 'vitest';
import { removeOldest } from './remove-oldest.ts';
import { writeSome } from './revocation-writer.ts';

test('each statement of the purge searches by an index of times, because it holds the lock of a SQLite file meanwhile', async () => {
  const [sqlite] = databaseKinds({});
  const database = await sqlite?.open();
  if (!database) throw new Error('no SQLite');
  const plans = await planQueries(database.db, async (db) => {
    for (const table of ['leases', 'sessions', 'marks', 'viewer_blocks'] as const)
      await removeOldest(db, table, 1, 10);
    await purgeChanges(db, 1, 10);
    await removeOldest(db, 'revocations', 1, 10);
  });
  await database.close();
  const ranges = plans.flatMap(({ steps }) => steps.filter((step) => /<\?/.test(step)));
  expect(ranges.map((step) => /INDEX (\w+)/.exec(step)?.[1])).toEqual([
    'leases_by_expires_at',
    'sessions_by_ends_at',
    'marks_by_marked_at',
    'viewer_blocks_by_blocked_until',
    'changes_by_at',
    'revocations_by_finished_at_number',
  ]);
  expect(plans.flatMap(({ tableScans, indexScans }) => [...tableScans, ...indexScans])).toEqual([]);
});

test.each([
  ['viewer', 'ann', ''],
  ['content', '', 'film'],
  ['pair', 'ann', 'film'],
])(
  'the writer of a revocation of a %s searches rows by their creation, from its own place on',
  async (_, viewer_id, content_id) => {
    const [sqlite] = databaseKinds({});
    const database = await sqlite?.open();
    if (!database) throw new Error('no SQLite');
    const times = { created_after: 0, revoked_up_to: 9, expiring_after: 0, revoked_at: 9 };
    await database.db
      .insertInto('revocations')
      .values({ viewer_id, content_id, ...times })
      .execute();
    const plans = await planQueries(database.db, (db) =>
      inTransaction(db, (tx) => writeSome(tx, 10, createManualClock())),
    );
    await database.close();
    const searches = plans.flatMap(({ steps }) => steps.filter((step) => /leases/.test(step)));
    expect(searches).toHaveLength(2);
    for (const search of searches) expect(search).toMatch(/created_at>\? AND created_at<\?/);
  },
);
