import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type LeaseFixture, openLeasesOnSqlite, rawKeys } from '../lease.fixture.ts';

let leases: LeaseFixture;
beforeEach(async () => {
  leases = await openLeasesOnSqlite();
});

async function lease(viewerId: string, contentId = 'film'): Promise<string> {
  const { body } = await leases.ask('POST', '/keys/leases', leases.tokenOf(viewerId), { contentId });
  leases.clock.advance(1_000);
  return body.lease.id;
}
const list = (query = '', credential: string | null = rawKeys.admin) =>
  leases.ask('GET', `/api/v1/leases${query}`, credential);
// biome-ignore lint/suspicious/noExplicitAny: the body of an answer
const idsOf = (body: any) => body.leases.map((one: { id: string }) => one.id);

describe('GET /api/v1/leases', () => {
  it('GET /api/v1/leases lists newest first, by viewer, content and state, with the number of active leases', async () => {
    const film = await lease('ann');
    const series = await lease('ann', 'series');
    const bobs = await lease('bob');
    await leases.ask('POST', '/keys/leases/revoke', rawKeys.admin, { leaseId: film });
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(idsOf(body)).toEqual([bobs, series, film]);
    expect(body).toMatchObject({ next_cursor: null, total_active: 2 });
    expect(idsOf((await list('?viewerId=ann')).body)).toEqual([series, film]);
    expect((await list('?viewerId=ann')).body.total_active).toBe(1);
    expect(idsOf((await list('?contentId=film')).body)).toEqual([bobs, film]);
    expect(idsOf((await list('?viewerId=ann&contentId=series')).body)).toEqual([series]);
    expect(idsOf((await list('?state=revoked')).body)).toEqual([film]);
    expect(idsOf((await list('?state=active')).body)).toEqual([bobs, series]);
    leases.clock.advance(300_000);
    expect(idsOf((await list('?state=expired')).body)).toEqual([bobs, series]);
    expect((await list()).body.total_active).toBe(0);
  });

  it('GET /api/v1/leases counts nothing for a client that prefers a minimal answer', async () => {
    const ids = [await lease('a'), await lease('b')].reverse();
    const prefer = { prefer: 'return=minimal' };
    const { body, headers } = await leases.ask('GET', '/api/v1/leases', rawKeys.admin, undefined, prefer);
    expect([idsOf(body), body.total_active, body.total]).toEqual([ids, undefined, undefined]);
    expect(headers['preference-applied']).toBe('return=minimal');
    expect((await list()).headers['preference-applied']).toBeUndefined();
  });

  it('GET /api/v1/leases continues from the cursor', async () => {
    const ids = [await lease('a'), await lease('b'), await lease('c')].reverse();
    const { body: first } = await list('?limit=2');
    const { body: second } = await list(`?limit=2&cursor=${first.next_cursor}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids);
    expect(second.next_cursor).toBeNull();
  });

  it.each(['?limit=0', '?limit=501', '?limit=x', '?state=gone', '?cursor=x', '?viewer=ann'])(
    'GET /api/v1/leases%s returns 400',
    async (query) => {
      expect((await list(query)).status).toBe(400);
    },
  );

  it('GET /api/v1/leases returns 401 without a credential and 403 without the scope', async () => {
    expect((await list('', null)).status).toBe(401);
    expect((await list('', rawKeys.playback)).body.code).toBe('INSUFFICIENT_SCOPE');
    expect((await list('', leases.tokenOf('ann'))).status).toBe(403);
  });
});

describe('GET /api/v1/leases/:id', () => {
  it('GET /api/v1/leases/:id shows the lease', async () => {
    const id = await lease('ann');
    const { status, body } = await leases.ask('GET', `/api/v1/leases/${id}`, rawKeys.full);
    expect(status).toBe(200);
    expect(body).toMatchObject({ lease: { id, viewerId: 'ann', state: 'active' } });
  });

  it.each([randomUUID(), 'x'])('GET /api/v1/leases/%s returns 404', async (id) => {
    const answer = await leases.ask('GET', `/api/v1/leases/${id}`, rawKeys.full);
    expect(answer).toMatchObject({ status: 404, body: { code: 'LEASE_NOT_FOUND' } });
  });

  it('GET /api/v1/leases/:id returns 403 to a viewer', async () => {
    const id = await lease('ann');
    expect((await leases.ask('GET', `/api/v1/leases/${id}`, leases.tokenOf('ann'))).status).toBe(403);
  });
});

describe('the gauge of active leases', () => {
  it('the gauge of active leases is counted when it is read', async () => {
    await lease('ann');
    await lease('bob');
    expect(await leases.metrics.registry.metrics()).toContain('latchkey_active_leases{kind="lease"} 2\n');
    leases.clock.advance(300_000);
    expect(await leases.metrics.registry.metrics()).toContain('latchkey_active_leases{kind="lease"} 0\n');
  });

  it('the gauge of active leases is NaN while the database does not answer, and other metrics are still there', async () => {
    await leases.db.destroy();
    const text = await leases.metrics.registry.metrics();
    expect(text).toContain('latchkey_active_leases{kind="lease"} Nan');
    expect(text).toContain('latchkey_player_stalls');
  });
});
