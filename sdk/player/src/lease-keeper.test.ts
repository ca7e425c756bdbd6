import { beforeEach, describe, expect, it } from 'vitest';
import { createKeyServer } from './key-server.ts';
import type { Lease } from './lease.ts';
import { createLeaseCalls } from './lease-calls.ts';
import { createLeaseKeeper, type LeaseKeeper, type LeaseKeeperPorts } from './lease-keeper.ts';
import type { PlayerError } from './player-error.ts';
import {
  createFakeKeyServer,
  type FakeKeyServer,
  grant,
  problem,
  problemForNow,
  unreachable,
} from './testing/fake-key-server.ts';
import { settle } from './testing/manual-clock.ts';

let fake: FakeKeyServer;
let lost: PlayerError[];
let leases: (Lease | null)[];
let released: string | undefined;
beforeEach(() => {
  fake = createFakeKeyServer();
  lost = [];
  leases = [];
  released = undefined;
});

function keep(more: Partial<LeaseKeeperPorts> = {}): LeaseKeeper {
  const set = (leaseId: string) => {
    released = leaseId;
  };
  const storage = { get: () => released, set };
  const server = createKeyServer(fake.options);
  return createLeaseKeeper({
    calls: createLeaseCalls(server, storage),
    releases: server.releases,
    wish: { contentId: 'film', deviceId: 'tv', ttlSeconds: 100 },
    clock: fake.clock,
    random: () => 0,
    maxRetryAfterMs: 60_000,
    givesUp: () => false,
    onChange: (lease) => leases.push(lease),
    onRetry: () => {},
    onLost: (error) => lost.push(error),
    ...more,
  });
}
async function held(more: Partial<LeaseKeeperPorts> = {}): Promise<LeaseKeeper> {
  const keeper = keep(more);
  await keeper.take();
  return keeper;
}

describe('a lease is taken', () => {
  it('a lease is taken once for the content and the device, and key requests wait for it', async () => {
    const keeper = keep();
    const id = keeper.leaseId();
    await Promise.all([keeper.take(), keeper.take()]);
    expect(await id).toBe('lease-1');
    await keeper.take();
    expect(fake.requests).toMatchObject([
      { path: '/keys/leases', json: { contentId: 'film', deviceId: 'tv', requestedTtlSeconds: 100 } },
    ]);
  });

  it('without leases on the server, keys are requested without one', async () => {
    fake.answer('POST /keys/leases', () => problem(404, 'NOT_FOUND'));
    expect(await (await held()).leaseId()).toBeUndefined();
    expect(lost).toEqual([]);
  });

  it('a lease is taken when a server that was down comes back', async () => {
    const away = fake.answer('POST', unreachable);
    const keeper = keep();
    keeper.take();
    await fake.clock.advance(5_000);
    away.restore();
    await fake.clock.advance(10_000);
    expect(keeper.lease?.id).toBe('lease-1');
  });

  it('a lease that cannot be taken is an error once the viewer has waited long enough', async () => {
    fake.answer('POST', unreachable);
    const keeper = keep({ givesUp: (sinceMs) => fake.clock.now() - sinceMs >= 20_000 });
    const taken = keeper.take();
    taken.catch(() => {});
    await fake.clock.advance(40_000);
    await expect(taken).rejects.toMatchObject({ code: 'NETWORK' });
    await expect(keeper.leaseId()).rejects.toMatchObject({ code: 'NETWORK' });
    expect(lost).toHaveLength(1);
  });

  it('a lease replaces the one that this tab has released and whose release has not arrived', async () => {
    released = 'old';
    const full = fake.answer('POST', ({ path }) => {
      if (path === '/keys/leases/revoke') full.restore();
      return path === '/keys/leases/revoke'
        ? Response.json({ revoked: 1, leases: [] })
        : problem(409, 'LEASE_LIMIT_REACHED', { leases: [{ id: 'old' }] });
    });
    expect((await held()).lease?.id).toBe('lease-1');
    expect(fake.to('POST /keys/leases/revoke')).toMatchObject([{ json: { leaseId: 'old' } }]);
  });

  it('a lease replaces the one that was on its way when this tab was reloaded, and not the lease of another page', async () => {
    const unanswered = fake.answer('POST /keys/leases', () => new Promise(() => {}));
    const before = keep({ wish: { contentId: 'film', deviceId: 'player-before' } });
    before.take();
    await settle();
    before.releaseNow();
    unanswered.restore();
    let active = [
      { id: 'elsewhere', contentId: 'film', deviceId: 'player-elsewhere' },
      { id: 'unheard-of', contentId: 'film', deviceId: 'player-before' },
    ];
    const full = fake.answer('POST /keys/leases', ({ path, json }) => {
      if (path === '/keys/leases') return problem(409, 'LEASE_LIMIT_REACHED', { leases: active });
      active = active.filter(({ id }) => id !== json?.leaseId);
      full.restore();
      return Response.json({ revoked: 1, leases: [] });
    });
    expect((await held()).lease?.id).toBe('lease-1');
    expect(active).toMatchObject([{ id: 'elsewhere' }]);
  });
});

describe('a lease is renewed', () => {
  it('a lease is renewed each time at the server’s renew_after_seconds', async () => {
    await held();
    await fake.clock.advance(74_999);
    expect(fake.to('POST /keys/leases/renew')).toEqual([]);
    await fake.clock.advance(1);
    expect(fake.to('POST /keys/leases/renew')).toMatchObject([
      { json: { leaseId: 'lease-1', requestedTtlSeconds: 100 }, token: 'Bearer token-2' },
    ]);
    await fake.clock.advance(75_000);
    expect(fake.to('POST /keys/leases/renew')).toHaveLength(2);
  });

  it('a lease is renewed up to a tenth sooner, so that viewers who began together do not renew together', async () => {
    await held({ random: () => 0.5 });
    await fake.clock.advance(71_300);
    expect(fake.to('POST /keys/leases/renew')).toHaveLength(1);
  });

  it('a renewal is retried while the server is down, which alone does not end the lease', async () => {
    const keeper = await held();
    const away = fake.answer('POST /keys/leases/renew', unreachable);
    await fake.clock.advance(75_000 + 60_000);
    expect(fake.to('POST /keys/leases/renew').length).toBeLessThan(12);
    away.restore();
    await fake.clock.advance(10_000);
    expect(lost).toEqual([]);
    expect(keeper.lease?.id).toBe('lease-1');
  });

  it('a renewal over the rate limit is sent again after its Retry-After, and the viewer keeps the lease', async () => {
    const keeper = await held();
    const limit = fake.answer('POST /keys/leases/renew', () => problemForNow(20, 429, 'RATE_LIMITED'));
    await fake.clock.advance(75_000 + 19_000);
    expect(fake.to('POST /keys/leases/renew')).toHaveLength(1);
    limit.restore();
    await fake.clock.advance(2_000);
    expect(fake.to('POST /keys/leases/renew')).toHaveLength(2);
    expect(lost).toEqual([]);
    expect(keeper.lease?.id).toBe('lease-1');
  });

  it.each(['LEASE_EXPIRED', 'LEASE_UNKNOWN'])(
    'a lease that ended during sleep is replaced by a new one after %s',
    async (code) => {
      const keeper = await held();
      fake.clock.jump(3_600_000);
      fake.answer('POST /keys/leases/renew', () => problem(403, code));
      await fake.clock.advance(0);
      expect(keeper.lease?.id).toBe('lease-2');
      expect(lost).toEqual([]);
      expect(leases.map((lease) => lease?.id)).toEqual(['lease-1', undefined, 'lease-2']);
    },
  );

  it.each([
    [403, 'LEASE_REVOKED'],
    [403, 'VIEWER_BLOCKED'],
    [403, 'TOKEN_REVOKED'],
    [404, 'CONTENT_NOT_FOUND'],
  ])('a refused renewal (%d %s) is reported once, and nothing more is requested', async (status, code) => {
    const keeper = await held();
    fake.answer('POST /keys/leases/renew', () => problem(status, code));
    await fake.clock.advance(1_000_000);
    expect(lost).toMatchObject([{ code }]);
    expect(keeper.lease).toBeNull();
    expect(fake.requests).toHaveLength(2);
  });
});

describe('a lease is replaced', () => {
  it('a lease is replaced once, however many callers ask for it', async () => {
    const keeper = await held();
    await Promise.all([keeper.replace('lease-1'), keeper.replace('lease-1'), keeper.replace('lease-1')]);
    await keeper.replace('lease-1');
    expect(await keeper.leaseId()).toBe('lease-2');
    expect(fake.to('POST /keys/leases')).toHaveLength(2);
  });
});

describe('a lease is given back', () => {
  it('a released lease is neither renewed nor returned any more', async () => {
    const keeper = await held();
    await keeper.release();
    await fake.clock.advance(200_000);
    expect(fake.requests.slice(1)).toMatchObject([
      { path: '/keys/leases/revoke', json: { leaseId: 'lease-1' }, keepalive: true },
    ]);
    await expect(keeper.leaseId()).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('a lease is released without an error while the server is down', async () => {
    const keeper = await held();
    fake.answer('POST', unreachable);
    await keeper.release();
    expect(lost).toEqual([]);
  });

  it('a lease that arrives after the page was left is released', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    fake.answer('POST /keys/leases', async ({ path }) => {
      await arrived;
      return path === '/keys/leases' ? grant('lease-1', 201) : Response.json({ revoked: 1, leases: [] });
    });
    const keeper = keep();
    keeper.take();
    await settle();
    keeper.releaseNow();
    arrive();
    await settle();
    expect(fake.to('POST /keys/leases/revoke')).toMatchObject([{ json: { leaseId: 'lease-1' } }]);
    expect(keeper.lease).toBeNull();
  });

  it('a page that is left releases its lease, and takes another one on its return, after the release has arrived', async () => {
    const keeper = await held();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    fake.answer('POST /keys/leases/revoke', () =>
      arrived.then(() => Response.json({ revoked: 1, leases: [] })),
    );
    keeper.releaseNow();
    expect(released).toBe('lease-1');
    const id = keeper.leaseId();
    const taken = keeper.take();
    await settle();
    expect(fake.to('POST /keys/leases')).toHaveLength(2);
    arrive();
    await taken;
    expect(await id).toBe('lease-2');
  });
});
