import { createManualClock, databaseKinds } from '@latchkey/shared/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { RevocationStore } from './revocation-store.ts';
import { createRevocationWriter } from './revocation-writer.ts';
import { insertLeases, openForEachTest } from './stored-leases.fixture.ts';

const count = 600;
const everything = { viewerId: null, contentId: null };

describe.each(databaseKinds(process.env))('the writer of revocations on $name', (kind) => {
  const clock = createManualClock();
  const now = clock.now();
  const database = openForEachTest(kind);
  beforeEach(async () => {
    // Many in one millisecond: within it, the ids give the order.
    await insertLeases(database.db, count, (n) => ({ created_at: now - (n >> 4), expires_at: now + 1 }));
    const revocation = { viewerId: null, contentId: 'film', createdAfter: 0, createdUpTo: now };
    const ends = { expiringAfter: now - 30_000, revokedAt: now, reason: 'terms', auditNumber: null };
    await new RevocationStore(database.db).insert({ ...revocation, ...ends }, null);
  });

  const createWriter = (signal = new AbortController().signal) =>
    createRevocationWriter({ db: database.db, clock, signal });
  const openRows = async () => {
    const open = database.db.selectFrom('leases').select('id').where('revoked_at', 'is', null);
    return (await open.execute()).length;
  };

  it('a revocation that was stopped while it was written to rows continues from there, also in another process, and writes each row once', async () => {
    const stopping = new AbortController();
    const first = createWriter(stopping.signal).run();
    stopping.abort();
    const before = await first;
    expect(await openRows()).toBe(count - before);
    expect(before).toBeLessThan(count);
    expect(before + (await createWriter().run())).toBe(count);
    expect(await openRows()).toBe(0);
    expect(await new RevocationStore(database.db).listUnfinished(everything)).toEqual([]);
    expect(await createWriter().run()).toBe(0);
  });

  it('two concurrent writers of revocations write each row once in total', async () => {
    const written = await Promise.all([createWriter().run(), createWriter().run(), createWriter().run()]);
    // One that found another at work comes again a second later.
    const rest = await createWriter().run();
    expect(written.reduce((sum, one) => sum + one, rest)).toBe(count);
    expect(await openRows()).toBe(0);
    const [row] = await database.db.selectFrom('revocations').select('written').execute();
    expect(Number(row?.written)).toBe(count);
  });
});
