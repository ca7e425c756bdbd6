import { beforeEach, describe, expect, it } from 'vitest';
import { type Attempt, createKeyServer } from './key-server.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';
import { createLeaseCalls } from './lease-calls.ts';
import { createLeaseKeeper, type LeaseKeeper } from './lease-keeper.ts';
import { PlayerError } from './player-error.ts';
import {
  createFakeKeyServer,
  type FakeKeyServer,
  keyUrl,
  problem,
  unreachable,
} from './testing/fake-key-server.ts';

const wanted = new AbortController().signal;
let fake: FakeKeyServer;
let store: KeyStore;
let leases: LeaseKeeper;
let refused: PlayerError[];
let attempts: Attempt[];
let isStarving: boolean;
let playback: AbortController;
beforeEach(async () => {
  fake = createFakeKeyServer();
  refused = [];
  attempts = [];
  isStarving = false;
  playback = new AbortController();
  const server = createKeyServer(fake.options);
  const common = { clock: fake.clock, random: () => 0, maxRetryAfterMs: 60_000, onRetry: () => {} };
  const givesUp = (sinceMs: number) => isStarving && fake.clock.now() - sinceMs >= 60_000;
  leases = createLeaseKeeper({
    ...common,
    calls: createLeaseCalls(server, { get: () => undefined, set: () => {} }),
    wish: { contentId: 'film', deviceId: 'tv' },
    givesUp,
    onChange: () => {},
    onLost: (error) => refused.push(error),
  });
  store = createKeyStore({
    ...common,
    server,
    leases: {
      keeperFor: () => leases,
      isHeldFor: () => true,
      isKeptBy: () => true,
      isOpen: true,
      withoutLease: (request) => request(),
    },
    handedOut: new Set(),
    givesUp,
    onAttempt: (_, attempt) => attempts.push(attempt),
    onRefused: (error) => refused.push(error),
    ended: playback.signal,
  });
  await leases.take();
});
const firstByte = async (key: Promise<ArrayBuffer>) => new Uint8Array(await key)[0];

describe('a key is requested once', () => {
  it('with the lease, however many want it at the same time', async () => {
    const keys = [store.get(keyUrl(3), wanted), store.get(keyUrl(3), wanted)];
    expect(await Promise.all(keys.map(firstByte))).toEqual([3, 3]);
    expect(fake.to('GET')).toMatchObject([{ path: '/keys/film/3', leaseId: 'lease-1' }]);
    expect(attempts).toEqual([{ status: 200, durationMs: 0 }]);
  });

  it('ahead: who wants it then gets it without a request, and it is not fetched ahead again', async () => {
    store.fetchAhead(keyUrl(4));
    store.fetchAhead(keyUrl(4));
    await fake.clock.advance(0);
    expect(await firstByte(store.get(keyUrl(4), wanted))).toBe(4);
    store.fetchAhead(keyUrl(4));
    await fake.clock.advance(0);
    expect(fake.to('GET')).toHaveLength(1);
  });
});

describe('a server that is away', () => {
  it('costs nothing but time while something can be played', async () => {
    const away = fake.answer('GET', unreachable);
    const key = store.get(keyUrl(3), wanted);
    await fake.clock.advance(300_000);
    away.restore();
    await fake.clock.advance(4_500);
    expect(await firstByte(key)).toBe(3);
    expect(refused).toEqual([]);
    expect(attempts.length).toBeLessThan(110);
  });

  it('is an error after a minute with nothing to play', async () => {
    isStarving = true;
    fake.answer('GET', () => problem(503, 'DEPENDENCY_UNAVAILABLE'));
    store.get(keyUrl(3), wanted).catch(() => {});
    await fake.clock.advance(59_000);
    expect(refused).toEqual([]);
    await fake.clock.advance(10_000);
    expect(refused).toMatchObject([{ code: 'NETWORK', status: 503 }]);
  });

  it('is no matter for a key that is fetched ahead: it is left until it is wanted', async () => {
    const away = fake.answer('GET', unreachable);
    store.fetchAhead(keyUrl(4));
    await fake.clock.advance(60_000);
    expect(fake.to('GET')).toHaveLength(1);
    expect(store.has(keyUrl(4))).toBe(false);
    away.restore();
    expect(await firstByte(store.get(keyUrl(4), wanted))).toBe(4);
    expect(refused).toEqual([]);
  });

  it('is not asked any more once nobody wants the key', async () => {
    const controller = new AbortController();
    fake.answer('GET', unreachable);
    store.get(keyUrl(3), controller.signal).catch(() => {});
    await fake.clock.advance(2_000);
    controller.abort();
    const { length } = fake.to('GET');
    await fake.clock.advance(60_000);
    expect(fake.to('GET').length).toBeLessThanOrEqual(length + 1);
    expect(refused).toEqual([]);
  });

  it('may send something that is no key: that is asked for again', async () => {
    const portal = fake.answer('GET', () => new Response('<html>Sign in</html>'));
    const key = store.get(keyUrl(3), wanted);
    await fake.clock.advance(0);
    portal.restore();
    await fake.clock.advance(1_000);
    expect(await firstByte(key)).toBe(3);
  });
});

describe('a refusal', () => {
  it.each([
    [403, 'LEASE_REVOKED'],
    [403, 'TOKEN_REVOKED'],
    [403, 'CONTENT_NOT_ENTITLED'],
    [404, 'CONTENT_NOT_FOUND'],
  ])('%d %s is final after one request, wanted or fetched ahead', async (status, code) => {
    fake.answer('GET', () => problem(status, code));
    store.get(keyUrl(3), wanted).catch(() => {});
    store.fetchAhead(keyUrl(4));
    await fake.clock.advance(60_000);
    expect(fake.to('GET')).toHaveLength(2);
    expect(refused).toMatchObject([{ code }, { code }]);
  });

  it.each(['LEASE_EXPIRED', 'LEASE_UNKNOWN'])(
    '%s takes a new lease and the key with it, unseen',
    async (code) => {
      fake.answer('GET', ({ leaseId }) =>
        leaseId === 'lease-1' ? problem(403, code) : new Response(new Uint8Array(16).fill(3)),
      );
      expect(await firstByte(store.get(keyUrl(3), wanted))).toBe(3);
      expect(fake.to('GET').map(({ leaseId }) => leaseId)).toEqual(['lease-1', 'lease-2']);
      expect(refused).toEqual([]);
    },
  );

  it('LEASE_EXPIRED for the new lease, too, is final', async () => {
    fake.answer('GET', () => problem(403, 'LEASE_EXPIRED'));
    store.get(keyUrl(3), wanted).catch(() => {});
    await fake.clock.advance(60_000);
    expect(fake.to('GET')).toHaveLength(2);
    expect(refused).toMatchObject([{ code: 'LEASE_EXPIRED' }]);
  });

  it('LEASE_REVOKED of a lease that was given back meanwhile leaves the decision to the next', async () => {
    fake.answer('GET', ({ leaseId }) => {
      if (leaseId !== 'lease-1') return new Response(new Uint8Array(16).fill(3));
      leases.releaseNow();
      leases.take();
      return problem(403, 'LEASE_REVOKED');
    });
    expect(await firstByte(store.get(keyUrl(3), wanted))).toBe(3);
    expect(refused).toEqual([]);
  });
});

describe('once playback has ended', () => {
  it('nothing is requested, and nobody is told', async () => {
    playback.abort(new PlayerError('ABORTED', 'over'));
    store.fetchAhead(keyUrl(4));
    await expect(store.get(keyUrl(5), wanted)).rejects.toMatchObject({ code: 'ABORTED' });
    expect(fake.to('GET')).toEqual([]);
    expect(refused).toEqual([]);
  });

  it('what was being retried is not any more', async () => {
    fake.answer('GET', unreachable);
    store.get(keyUrl(4), wanted).catch(() => {});
    await fake.clock.advance(1);
    playback.abort();
    await fake.clock.advance(60_000);
    expect(fake.to('GET')).toHaveLength(1);
  });
});
