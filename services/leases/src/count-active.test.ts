import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, migrate, openDatabase } from '@latchkey/shared/db';
import { planQueries } from '@latchkey/shared/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { LeaseSelector } from './lease-selector.ts';
import { LeaseStore } from './lease-store.ts';
import { RevocationStore } from './revocation-store.ts';
import { insertLeases } from './stored-leases.fixture.ts';

const now = 1_000_000;
const everything = { viewerId: null, contentId: null };
const film = { viewerId: null, contentId: 'film' };
const folder = mkdtempSync(join(tmpdir(), 'latchkey-count-'));
let db: Database;
beforeAll(async () => {
  db = openDatabase({ sqlitePath: join(folder, 'latchkey.db') });
  await migrate(db);
});
beforeEach(() => db.deleteFrom('leases').execute());
afterAll(async () => {
  await db.destroy();
  rmSync(folder, { recursive: true });
});

const addLeases = (count: number, contentId: string, expiresAt: number) =>
  insertLeases(db, count, (n) => ({
    viewer_id: `viewer-${n}`,
    content_id: contentId,
    created_at: now - 100 + (n % 50),
    expires_at: expiresAt,
  }));

async function count(selector: LeaseSelector) {
  let active = 0;
  const plans = await planQueries(db, async (watched) => {
    active = await new LeaseStore(watched).countActive(selector, now);
  });
  return { active, ran: plans.map(({ sql, steps }) => ({ sql, steps: steps.join() })) };
}

/** The queries on the connection of the process, which answers nobody meanwhile: no more than a look at some entries of an index. */
const onlyALook = (index: string) => [
  {
    sql: expect.stringContaining(' limit ?'),
    steps: expect.stringMatching(new RegExp(`COVERING INDEX ${index}`)),
  },
];

it('few active leases in a SQLite file are counted exactly, by an index alone', async () => {
  await addLeases(30, 'film', now + 1);
  await addLeases(20, 'film', now);
  await addLeases(7, 'series', now + 1);
  expect(await count(everything)).toEqual({ active: 37, ran: onlyALook('leases_open_by_expires_at') });
  expect(await count(film)).toEqual({ active: 30, ran: onlyALook('leases_open_by_content_id') });
  expect((await count({ viewerId: 'viewer-3', contentId: null })).active).toBe(2);
});

it('many leases in a SQLite file are counted exactly, and not by the thread that answers requests', async () => {
  await addLeases(6_000, 'film', now + 1);
  await addLeases(7, 'series', now + 1);
  expect(await count(everything)).toEqual({ active: 6_007, ran: onlyALook('leases_open_by_expires_at') });
  expect(await count(film)).toEqual({ active: 6_000, ran: onlyALook('leases_open_by_content_id') });
  expect(await count({ viewerId: null, contentId: 'series' })).toMatchObject({ active: 7 });
});

it('a content whose many leases have expired is not counted by the thread that answers requests either', async () => {
  await addLeases(6_000, 'film', now);
  await addLeases(1, 'film', now + 1);
  expect(await count(film)).toEqual({ active: 1, ran: onlyALook('leases_open_by_content_id') });
});

it('while the rows of a revocation are being written, its leases are not counted, however few they are', async () => {
  await addLeases(30, 'film', now + 1);
  await addLeases(7, 'series', now + 1);
  await new RevocationStore(db).insert(
    {
      ...{ ...film, createdAfter: 0, createdUpTo: now, expiringAfter: 0 },
      ...{ revokedAt: now, reason: null, auditNumber: null },
    },
    null,
  );
  expect(await count(everything)).toEqual({ active: 7, ran: onlyALook('leases_open_by_expires_at') });
  expect((await count(film)).active).toBe(0);
  // A list of one viewer's leases asks for this number: it must not wait behind a count of everything.
  const oneViewer = await count({ viewerId: 'viewer-3', contentId: null });
  expect(oneViewer).toEqual({ active: 1, ran: [expect.objectContaining({ sql: expect.any(String) })] });
});
