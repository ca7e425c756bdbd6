import { randomUUID } from 'node:crypto';
import { databaseKinds } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSessionExtender, type ExtendSessions } from './extend-sessions.ts';
import { type LeaseFixture, openLeases, rawKeys } from './lease.fixture.ts';
import { createLeaseReader } from './lease-reader.ts';
import { openForEachTest } from './stored-leases.fixture.ts';

describe.each(databaseKinds(process.env))('uses of sessions on $name', (kind) => {
  const database = openForEachTest(kind);
  let leases: LeaseFixture;
  let extend: ExtendSessions;
  let start: number;
  beforeEach(async () => {
    leases = await openLeases(database.db);
    extend = createSessionExtender(leases.writing);
    start = leases.clock.now();
  });
  afterEach(() => leases.app.close());

  const create = async (body: object = {}, viewerId = 'ann') => {
    const asked = { contentId: 'film', ttlSeconds: 100, ...body };
    const made = await leases.ask('POST', '/keys/sessions', leases.tokenOf(viewerId), asked);
    expect(made.status).toBe(201);
    return made.body.session.leaseId as string;
  };
  const look = async (id: string) =>
    (await leases.ask('GET', `/api/v1/leases/${id}`, rawKeys.admin)).body.lease;
  /** Seconds after the start. */
  const endOf = async (id: string) => (Date.parse((await look(id)).expiresAt) - start) / 1_000;
  const use = (id: string, seconds: number) => extend(new Map([[id, start + seconds * 1_000]]));
  const countRenewals = () => leases.notices.filter(({ event }) => event === 'renewed').length;

  test('a use extends a session by its TTL from the use on, is shown as the last one, and is told to other replicas', async () => {
    const id = await create();
    const renewed: string[] = [];
    leases.bus.subscribe((message) => void (message.type === 'renewal' && renewed.push(message.leaseId)));
    leases.clock.advance(32_000);
    await use(id, 30);
    expect(await endOf(id)).toBe(130);
    expect(await look(id)).toMatchObject({
      lastUsedAt: new Date(start + 30_000).toISOString(),
      state: 'active',
    });
    expect(renewed).toEqual([id]);
    const reader = createLeaseReader({ db: database.db, renewGraceSeconds: 30 });
    expect((await reader.findLease(id))?.session?.extendFrom).toBe(start + 55_000);
  });

  test('a session is written at most once in a quarter of its TTL, however often and by however many it is reported', async () => {
    const id = await create();
    leases.clock.advance(26_000);
    await use(id, 24);
    expect(countRenewals()).toBe(0);
    await Promise.all(Array.from({ length: 6 }, () => use(id, 25)));
    leases.clock.advance(20_000);
    await use(id, 46);
    expect(countRenewals()).toBe(1);
    expect(await endOf(id)).toBe(125);
  });

  test('a use extends no session that was revoked or released, by its own row or by a revocation of its viewer or content', async () => {
    const byLease = await create({}, 'bob');
    const byViewer = await create();
    const byContent = await create({}, 'cleo');
    const released = await create({}, 'dora');
    await leases.ask('POST', '/keys/leases/revoke', leases.tokenOf('dora'), { leaseId: released });
    for (const body of [{ leaseId: byLease }, { viewerId: 'ann' }, { contentId: 'film' }])
      await leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, body);
    leases.clock.advance(30_000);
    const all = [byLease, byViewer, byContent, released];
    await extend(new Map(all.map((id) => [id, start + 30_000])));
    for (const id of all) expect(await look(id)).toMatchObject({ state: 'revoked', lastUsedAt: null });
    expect(countRenewals()).toBe(0);
  });

  test('while sessions are extended and revoked at the same time, every revoked one stays revoked', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => create({}, `v${n % 8}`)));
    leases.clock.advance(30_000);
    const uses = new Map(ids.map((id) => [id, start + 30_000]));
    const revoke = (body: object) => leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, body);
    const reversed = new Map([...uses].reverse());
    await Promise.all([
      extend(uses),
      revoke({ viewerId: 'v0' }),
      extend(reversed),
      ...ids.slice(20).map((leaseId) => revoke({ leaseId })),
      extend(uses),
    ]);
    for (const [n, id] of ids.entries())
      if (n % 8 === 0 || n >= 20) expect((await look(id)).state).toBe('revoked');
    const { expiresAt } = await look(ids[1] as string);
    expect(Date.parse(expiresAt)).toBe(start + 130_000);
  });

  test('forged uses extend nothing beyond what a use of now would, and nothing that is no session', async () => {
    const id = await create();
    const asked = { contentId: 'film' };
    const player = (await leases.ask('POST', '/keys/leases', leases.tokenOf('ann'), asked)).body.lease.id;
    leases.clock.advance(30_000);
    const forged = ['', 'x', "'; drop table leases", randomUUID(), player, id];
    await extend(new Map(forged.map((each) => [each, Number.MAX_SAFE_INTEGER])));
    expect(await endOf(id)).toBe(130);
    expect(await endOf(player)).toBe(300);
    await extend(new Map([[id, 0]]));
    expect(await look(id)).toMatchObject({ lastUsedAt: new Date(start + 30_000).toISOString() });
  });

  test('hundreds of sessions that are reported together are all extended', async () => {
    const ids = await Promise.all(Array.from({ length: 300 }, (_, n) => create({}, `v${n}`)));
    leases.clock.advance(30_000);
    await extend(new Map(ids.map((id) => [id, start + 30_000])));
    expect(countRenewals()).toBe(300);
  });
});
