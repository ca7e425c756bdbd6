import { randomUUID } from 'node:crypto';
import { createDatabaseFeed } from '@latchkey/shared/events/rows';
import { beforeEach, describe, expect, it } from 'vitest';
import { type LeaseFixture, openLeasesOnSqlite, rawKeys } from '../lease.fixture.ts';

let leases: LeaseFixture;
beforeEach(async () => {
  leases = await openLeasesOnSqlite();
});

async function lease(viewerId: string, facts: object = {}): Promise<string> {
  const body = { contentId: 'film', ...facts };
  const answer = await leases.ask('POST', '/keys/leases', leases.tokenOf(viewerId), body);
  return answer.body.lease.id;
}
const revoke = (credential: string | null, body: object) =>
  leases.ask('POST', '/keys/leases/revoke', credential, body);
const changes = async () =>
  (await createDatabaseFeed(leases.db).since(0)).changes.map(({ change }) => change);
const marks = () => leases.db.selectFrom('marks').select(['viewer_id', 'content_id', 'marked_at']).execute();
const auditRows = () =>
  leases.db.selectFrom('audit').select(['actor_kind', 'action', 'target', 'outcome']).execute();

describe('a viewer that releases its own lease', () => {
  it('a viewer that releases its lease gets 200, leaves no mark, and can create another with the same token', async () => {
    const leaseId = await lease('ann');
    const token = leases.tokenOf('ann');
    const { status, body } = await revoke(token, { leaseId, reason: 'window closed' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      revoked: 1,
      leases: [{ id: leaseId, state: 'revoked', revokedBy: 'viewer', reason: 'window closed' }],
    });
    expect(await marks()).toEqual([]);
    expect(await changes()).toEqual([{ kind: 'leases', leaseId, viewerId: null, contentId: null }]);
    // A viewer's daily business: one token could fill the audit with it.
    expect(await auditRows()).toEqual([]);
    expect(await revoke(token, { leaseId })).toMatchObject({ status: 200, body: { revoked: 0, leases: [] } });
    expect(await lease('ann')).not.toBe(leaseId);
  });

  it.each([
    ['malformed', 'x'],
    ['unknown', randomUUID()],
  ])('a viewer that releases a lease with an id that is %s gets 404', async (_name, leaseId) => {
    expect(await revoke(leases.tokenOf('ann'), { leaseId })).toMatchObject({
      status: 404,
      body: { code: 'LEASE_NOT_FOUND' },
    });
  });

  it('a viewer that releases the lease of another viewer gets 404, and the lease stays', async () => {
    const leaseId = await lease('bob');
    expect((await revoke(leases.tokenOf('ann'), { leaseId })).body.code).toBe('LEASE_NOT_FOUND');
    expect(await changes()).toEqual([]);
  });

  it.each([[{ viewerId: 'ann' }], [{ contentId: 'film' }], [{ viewerId: 'ann', contentId: 'film' }]])(
    'a viewer that revokes by the selector %o gets 403',
    async (selector) => {
      expect(await revoke(leases.tokenOf('ann'), selector)).toMatchObject({
        status: 403,
        headers: { 'www-authenticate': expect.stringContaining('insufficient_scope') },
        body: { code: 'INSUFFICIENT_SCOPE' },
      });
      expect(await auditRows()).toEqual([
        { actor_kind: 'viewer', action: 'lease.revoke', target: null, outcome: 'refused' },
      ]);
    },
  );

  it('a refused release of a lease is not audited', async () => {
    await revoke(leases.tokenOf('ann'), { leaseId: randomUUID() });
    await revoke(leases.tokenOf('ann'), {});
    expect(await auditRows()).toEqual([]);
  });
});

describe('management that revokes one lease', () => {
  it('revoking one lease marks its viewer and content, and does not end leases of other devices', async () => {
    const leaseId = await lease('ann');
    const other = await lease('ann', { deviceId: 'tv' });
    await leases.authority.leases.load(leaseId);
    await leases.authority.leases.load(other);
    const { body } = await revoke(rawKeys.full, { leaseId });
    expect(body).toMatchObject({ revoked: 1, leases: [{ id: leaseId, revokedBy: 'management' }] });
    expect(await marks()).toEqual([{ viewer_id: 'ann', content_id: 'film', marked_at: leases.clock.now() }]);
    expect(await changes()).toEqual([{ kind: 'leases', leaseId, viewerId: 'ann', contentId: 'film' }]);
    expect(leases.authority.leases.peek(leaseId)).toBeUndefined();
    expect(leases.authority.leases.peek(other)).toBeDefined();
    const renewal = await leases.ask('POST', '/keys/leases/renew', leases.tokenOf('ann'), { leaseId: other });
    expect(renewal.status).toBe(200);
  });

  it('revoking a lease again changes nothing, so a token that was issued since stays valid', async () => {
    const leaseId = await lease('ann');
    await revoke(rawKeys.admin, { leaseId });
    const before = await marks();
    leases.clock.advance(5_000);
    expect(await revoke(rawKeys.admin, { leaseId })).toMatchObject({
      status: 200,
      body: { revoked: 0, leases: [] },
    });
    expect(await marks()).toEqual(before);
    expect(await auditRows()).toHaveLength(2);
  });

  it('an expired lease can be revoked', async () => {
    const leaseId = await lease('ann');
    leases.clock.advance(4_000_000);
    expect((await revoke(rawKeys.admin, { leaseId })).body.revoked).toBe(1);
    expect(await marks()).toHaveLength(1);
  });

  it('revoking an unknown lease returns 404, and the refusal is audited', async () => {
    expect((await revoke(rawKeys.admin, { leaseId: randomUUID() })).body.code).toBe('LEASE_NOT_FOUND');
    expect(await auditRows()).toMatchObject([{ action: 'lease.revoke', outcome: 'refused' }]);
  });
});

describe('management that revokes by a selector', () => {
  it.each([
    [{ viewerId: 'ann' }, 2, 'viewer:ann'],
    [{ contentId: 'film' }, 2, 'content:film'],
    [{ viewerId: 'ann', contentId: 'film' }, 1, 'viewer:ann content:film'],
  ])(
    'a revocation of %o revokes the leases that it names, with one change, one mark and one audit row',
    async (selector, count, target) => {
      const ids = [await lease('ann'), await lease('ann', { contentId: 'series' }), await lease('bob')];
      for (const id of ids) await leases.authority.leases.load(id);
      const { viewerId = null, contentId = null } = selector as Record<string, string>;
      const { status, body } = await revoke(rawKeys.admin, { ...selector, reason: 'terms' });
      expect(status).toBe(200);
      expect(body.revoked).toBe(count);
      expect(body.leases).toHaveLength(count);
      for (const one of body.leases) {
        expect(one).toMatchObject({ state: 'revoked', revokedBy: 'management', reason: 'terms' });
        expect(leases.authority.leases.peek(one.id)).toBeUndefined();
      }
      expect(await changes()).toEqual([{ kind: 'leases', leaseId: null, viewerId, contentId }]);
      expect(await marks()).toEqual([
        { viewer_id: viewerId ?? '', content_id: contentId ?? '', marked_at: leases.clock.now() },
      ]);
      expect(await auditRows()).toEqual([
        { actor_kind: 'api-key', action: 'lease.revoke', target, outcome: 'done' },
      ]);
      expect(leases.notices.at(-2)?.event === 'revoked' || leases.notices.at(-1)?.event === 'revoked').toBe(
        true,
      );
      expect((await revoke(rawKeys.admin, selector)).body).toEqual({ revoked: 0, leases: [] });
    },
  );

  it('a revocation by viewer covers a lease until the end of its grace, and leaves a mark even without a lease', async () => {
    await lease('ann');
    leases.clock.advance(329_999);
    expect((await revoke(rawKeys.admin, { viewerId: 'ann' })).body.revoked).toBe(1);
    await lease('bob');
    leases.clock.advance(330_000);
    expect((await revoke(rawKeys.admin, { viewerId: 'bob' })).body.revoked).toBe(0);
    expect((await marks()).map((mark) => mark.viewer_id).sort()).toEqual(['ann', 'bob']);
  });

  it('a revocation counts all leases and shows the first hundred', async () => {
    for (let n = 0; n < 103; n++) await lease(`viewer ${n}`);
    const { body } = await revoke(rawKeys.admin, { contentId: 'film' });
    expect(body.revoked).toBe(103);
    expect(body.leases).toHaveLength(100);
  });
});

describe('POST /keys/leases/revoke answers 400 and 401', () => {
  const id = randomUUID();
  it.each([
    [{}],
    [{ reason: 'x' }],
    [{ leaseId: id, viewerId: 'ann' }],
    [{ leaseId: id, contentId: 'film' }],
    [{ viewerId: '' }],
    [{ contentId: 'a b' }],
    [{ viewerId: 'ann', reason: 'x'.repeat(501) }],
    [{ viewerId: 'ann', reason: 'a\u0007' }],
    [{ viewerId: 'ann', all: true }],
  ])('revoking leases with the body %o returns 400', async (body) => {
    expect(await revoke(rawKeys.admin, body)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED' },
    });
    expect(await changes()).toEqual([]);
  });

  it('revoking leases without a credential returns 401, whatever the body', async () => {
    expect((await revoke(null, {})).status).toBe(401);
  });

  it('revoking leases with an unknown API key returns 401, and the refusal is audited', async () => {
    expect((await revoke(`lk_${'0'.repeat(64)}`, { viewerId: 'ann' })).body.code).toBe('INVALID_API_KEY');
    expect(await auditRows()).toEqual([
      { actor_kind: 'anonymous', action: 'lease.revoke', target: null, outcome: 'refused' },
    ]);
  });
});
