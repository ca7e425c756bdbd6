import { type Database, findMarkState } from '@latchkey/shared/db';
import {
  databaseKinds,
  fillLists,
  findUnboundedScans,
  planQueries,
  type TestDatabase,
} from '@latchkey/shared/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mostActive } from '../lease-rules.ts';
import { insertLeases } from '../stored-leases.fixture.ts';
import { ActStore } from './act-store.ts';

const now = Date.UTC(2027, 0, 1);
const index = 'leases_open_by_viewer_id_expires_at';
const own = { viewerId: 'many', contentId: 'content-0', deviceId: 'device-7' };

/** Leases of one viewer that a token makes in seconds: expired and not purged yet, revoked, and as many active ones as there may be. */
async function addManyOfOne(db: Database) {
  for (const [kind, count] of [
    ['expired', 12_000],
    ['revoked', 12_000],
    ['active', mostActive],
  ] as const)
    await insertLeases(db, count, (n) => ({
      id: `${kind}-${n}`,
      viewer_id: own.viewerId,
      content_id: own.contentId,
      device_id: `device-${n}`,
      created_at: now - 60_000 + n,
      expires_at: kind === 'expired' ? now - 30_000 : now + 300_000,
      revoked_at: kind === 'revoked' ? now - 1_000 : null,
    }));
  const revocation = (n: number) => ({
    viewer_id: own.viewerId,
    content_id: '',
    created_after: 0,
    revoked_up_to: now - 90_000 + n,
    expiring_after: 0,
    revoked_at: now - 90_000 + n,
    finished_at: now,
  });
  await db
    .insertInto('revocations')
    .values(Array.from({ length: 1_000 }, (_, n) => revocation(n)))
    .execute();
  await sql`analyze`.execute(db);
}

describe.each(databaseKinds(process.env))('for a viewer with thousands of leases, on $name', (kind) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await kind.open();
    await fillLists(opened.db, { apiKeys: 10, contents: 10, leases: 20_000, auditRows: 10 }, now);
    await addManyOfOne(opened.db);
  });
  afterAll(() => opened.close());

  const plansOf = (work: (store: ActStore) => Promise<unknown>) =>
    planQueries(opened.db, (db) => work(new ActStore(db)));

  it.each<[string, (store: ActStore) => Promise<unknown>]>([
    ['counts the active ones', (store) => store.countActiveOf([own.viewerId], now, mostActive + 1)],
    ['finds the one of the device', (store) => store.findReusable([own], now)],
    ['lists the oldest ones', (store) => store.listOldestOf(new Map([[own.viewerId, 3]]), now)],
  ])('a creation %s by an index that begins with leases that have not expired', async (_, work) => {
    const [plan, ...others] = await plansOf(work);
    expect(others).toEqual([]);
    expect(plan?.steps.join()).toContain(index);
    // SQLite says by which columns it searches.
    if (kind.name === 'SQLite')
      expect(plan?.steps.join()).toContain(`${index} (viewer_id=? AND expires_at>?)`);
    // Postgres reads small tables from end to end.
    const scans = findUnboundedScans(plan ? [plan] : [], []).filter((scan) => scan.includes('leases'));
    expect(scans).toEqual([]);
  });

  it('a creation finds the latest of a thousand revocations of its viewer in one step of an index', async () => {
    const [plan] = await plansOf((store) => store.findTimes([own]));
    expect(findUnboundedScans(plan ? [plan] : [], [])).toEqual([]);
    const { bounds } = await new ActStore(opened.db).findTimes([own]);
    expect([...bounds.values()]).toEqual([now - 90_000 + 999]);
  });

  it('marks and blocks of one pair or of many are found by an index, however many there are', async () => {
    const pairs = Array.from({ length: 64 }, (_, n) => ({
      viewerId: `blocked-${n}`,
      contentId: `content-${n}`,
    }));
    const plans = [
      ...(await plansOf((store) => store.listMarks(pairs))),
      ...(await planQueries(opened.db, (db) => findMarkState(db, 'blocked-7', 'content-0'))),
    ];
    expect(plans).toHaveLength(2);
    expect(findUnboundedScans(plans, [])).toEqual([]);
    const states = await new ActStore(opened.db).listMarks(pairs);
    expect(new Set(states.map((state) => JSON.stringify(state)))).toEqual(
      new Set([JSON.stringify({ markedAt: null, blockedUntil: null })]),
    );
  });
});
