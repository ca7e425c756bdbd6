import { beforeEach, describe, expect, it } from 'vitest';
import { type Attempt, createKeyServer } from './key-server.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';
import { createLeaseCalls } from './lease-calls.ts';
import { createLeaseKeeper, type LeaseKeeper } from './lease-keeper.ts';
import type { PlayerError } from './player-error.ts';
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
    releases: server.releases,
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
  it('a key is requested once with the lease, however many callers need it at the same time', async () => {
    const keys = [store.get(keyUrl(3), wanted), store.get(keyUrl(3), wanted)];
    expect(await Promise.all(keys.map(firstByte))).toEqual([3, 3]);
    expect(fake.to('GET')).toMatchObject([{ path: '/keys/film/3', leaseId: 'lease-1' }]);
    expect(attempts).toEqual([{ status: 200, durationMs: 0 }]);
  });
});

describe('a server that is away', () => {
  it('a server that is down is an error after a minute with nothing to play', async () => {
    isStarving = true;
    fake.answer('GET', () => problem(503, 'DEPENDENCY_UNAVAILABLE'));
    store.get(keyUrl(3), wanted).catch(() => {});
    await fake.clock.advance(59_000);
    expect(refused).toEqual([]);
    await fake.clock.advance(10_000);
    expect(refused).toMatchObject([{ code: 'NETWORK', status: 503 }]);
  });

  it('a key that cannot be fetched ahead is not an error, and is requested again when it is needed', async () => {
    const away = fake.answer('GET', unreachable);
    store.fetchAhead(keyUrl(4));
    await fake.clock.advance(60_000);
    expect(fake.to('GET')).toHaveLength(1);
    expect(store.has(keyUrl(4))).toBe(false);
    away.restore();
    expect(await firstByte(store.get(keyUrl(4), wanted))).toBe(4);
    expect(refused).toEqual([]);
  });

  it('a key is no longer retried once all its callers have aborted', async () => {
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

  it('an answer that is not a key is requested again', async () => {
    const portal = fake.answer('GET', () => new Response('<html>Sign in</html>'));
    const key = store.get(keyUrl(3), wanted);
    await fake.clock.advance(0);
    portal.restore();
    await fake.clock.advance(1_000);
    expect(await firstByte(key)).toBe(3);
  });
});

describe('a refusal', () => {
  it.each(['LEASE_EXPIRED', 'LEASE_UNKNOWN'])(
    'after %s a new lease is taken and the key requested with it, without an error',
    async (code) => {
      fake.answer('GET', ({ leaseId }) =>
        leaseId === 'lease-1' ? problem(403, code) : new Response(new Uint8Array(16).fill(3)),
      );
      expect(await firstByte(store.get(keyUrl(3), wanted))).toBe(3);
      expect(fake.to('GET').map(({ leaseId }) => leaseId)).toEqual(['lease-1', 'lease-2']);
      expect(refused).toEqual([]);
    },
  );

  it('LEASE_EXPIRED also for the new lease is final', async () => {
    fake.answer('GET', () => problem(403, 'LEASE_EXPIRED'));
    store.get(keyUrl(3), wanted).catch(() => {});
    await fake.clock.advance(60_000);
    expect(fake.to('GET')).toHaveLength(2);
    expect(refused).toMatchObject([{ code: 'LEASE_EXPIRED' }]);
  });

  it('after LEASE_REVOKED of a lease that was released meanwhile, the next lease decides', async () => {
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
  it('after the end of playback a key is no longer retried', async () => {
    fake.answer('GET', unreachable);
    store.get(keyUrl(4), wanted).catch(() => {});
    await fake.clock.advance(1);
    playback.abort();
    await fake.clock.advance(60_000);
    expect(fake.to('GET')).toHaveLength(1);
  });
});
