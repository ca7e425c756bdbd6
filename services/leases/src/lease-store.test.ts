import { randomUUID } from 'node:crypto';
import { databaseKinds } from '@latchkey/shared/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Lease } from './lease.ts';
import { LeaseStore } from './lease-store.ts';
import { removeOldest } from './remove-oldest.ts';
import { makeLease, openForEachTest } from './stored-leases.fixture.ts';

const now = 1_000_000;

describe.each(databaseKinds(process.env))('the stores of leases on $name', (kind) => {
  const database = openForEachTest(kind);
  let store: LeaseStore;

  beforeEach(() => {
    store = new LeaseStore(database.db);
  });

  async function add(facts: Partial<Lease> = {}): Promise<Lease> {
    const lease = makeLease({ createdAt: now - 100, expiresAt: now + 1_000, ...facts });
    await store.insert(lease);
    return lease;
  }

  it('a lease is read back as it was stored', async () => {
    const ended = { revokedAt: 6, revokedBy: 'limit', reason: 'x', expiresAt: 2 ** 52 } as const;
    const lease = await add({ deviceId: 'tv 📺', renewedAt: 5, ...ended });
    expect(await store.find(lease.id)).toEqual(lease);
    expect(await store.find(randomUUID())).toBeNull();
  });

  it('leases are listed newest first, page by page, without a gap or a repeat at equal times', async () => {
    for (let n = 0; n < 5; n++) await add({ createdAt: n < 3 ? 1 : 2 });
    const everything = { viewerId: null, contentId: null, state: null };
    const all = await store.list(everything, now, 100, null);
    expect(all.map((lease) => lease.createdAt)).toEqual([2, 2, 1, 1, 1]);
    const paged: Lease[] = [];
    for (;;) {
      const last = paged.at(-1);
      const rows = await store.list(everything, now, 2, last ? { at: last.createdAt, id: last.id } : null);
      if (rows.length === 0) break;
      paged.push(...rows);
    }
    expect(paged).toEqual(all);
  });

  it('a list of leases filtered by state agrees with the state of each lease', async () => {
    const active = await add();
    const expired = await add({ expiresAt: now });
    const revoked = await add({ revokedAt: now, expiresAt: now - 5 });
    const idsOf = async (state: 'active' | 'expired' | 'revoked') =>
      (await store.list({ viewerId: null, contentId: null, state }, now, 10, null)).map(({ id }) => id);
    expect(await idsOf('active')).toEqual([active.id]);
    expect(await idsOf('expired')).toEqual([expired.id]);
    expect(await idsOf('revoked')).toEqual([revoked.id]);
    expect(await store.countActive({ viewerId: null, contentId: null }, now)).toBe(1);
    expect(await store.countActive({ viewerId: 'bob', contentId: null }, now)).toBe(0);
  });

  it('active sessions are counted apart from leases of players, without sessions that were revoked or have expired', async () => {
    const secret = { secret_hash: 'a'.repeat(64), ttl_ms: 1_000, ends_at: now + 10_000, used_at: null };
    const facts = [{}, {}, { expiresAt: now }, { revokedAt: now, revokedBy: 'viewer' as const }];
    for (const given of facts) {
      const { id } = await add(given);
      await database.db
        .insertInto('sessions')
        .values({ lease_id: id, ...secret })
        .execute();
    }
    await add();
    expect(await store.countActiveSessions(now)).toBe(2);
  });

  it('the purge removes leases whose time ended long ago, never more than the limit at once, and no revoked one sooner', async () => {
    for (let n = 0; n < 5; n++) await add({ createdAt: 1, expiresAt: 50 });
    const kept = await add({ createdAt: 1, expiresAt: 100 });
    const revoked = await add({ createdAt: 1, expiresAt: 100, revokedAt: 2 });
    expect(await removeOldest(database.db, 'leases', 100, 4)).toBe(4);
    expect(await removeOldest(database.db, 'leases', 100, 4)).toBe(1);
    expect(await removeOldest(database.db, 'leases', 100, 4)).toBe(0);
    expect(await store.find(kept.id)).not.toBeNull();
    expect(await store.find(revoked.id)).not.toBeNull();
  });
});
