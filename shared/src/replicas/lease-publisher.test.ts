import { beforeEach, expect, test } from 'vitest';
import { createLeaseState } from '../testing/lease-state.ts';
import { createLeasePublisher, type LeasePublisher } from './lease-publisher.ts';
import { RecentChanges } from './recent-changes.ts';
import type { StateStore, StoredState } from './state-store.ts';

const now = Date.UTC(2026, 0, 1);
let recent: RecentChanges;
let entries: Map<string, StoredState>;
let publisher: LeasePublisher;

const state = (revokedAt: number | null = null) =>
  createLeaseState({ expiresAt: now + 60_000, renewableUntil: now + 90_000, revokedAt });

beforeEach(() => {
  recent = new RecentChanges(10);
  recent.restart(5, 500, 'this database');
  entries = new Map();
  const states: StateStore = {
    get: async () => null,
    set: (kind, key, value, stamp) => void entries.set(`${kind} ${key}`, { value, stamp }),
    state: () => 'up',
  };
  publisher = createLeasePublisher({ states, recent });
});

test('a lease that was created or renewed is shared as of before the act, whatever was changed meanwhile', () => {
  const publish = publisher.begin();
  recent.add(6, 600, { kind: 'leases', leaseId: 'l', viewerId: null, contentId: null });
  recent.advance(6);
  publish({ id: 'l', state: state(), at: now, changeNumber: null });
  const stamp = { number: 5, at: 500, history: 'this database' };
  expect(entries).toEqual(new Map([['lease l', { value: state(), stamp }]]));
});

test('a lease that was revoked is shared as of its own change', () => {
  publisher.begin()({ id: 'l', state: state(now), at: now, changeNumber: 7 });
  const stamp = { number: 7, at: now, history: 'this database' };
  expect(entries).toEqual(new Map([['lease l', { value: state(now), stamp }]]));
});

test('before the feed is followed a revocation is shared, but no creation or renewal', () => {
  publisher = createLeasePublisher({
    states: {
      get: async () => null,
      set: (_kind, key, value, stamp) => void entries.set(key, { value, stamp }),
      state: () => 'up',
    },
    recent: new RecentChanges(10),
  });
  publisher.begin()({ id: 'created', state: state(), at: now, changeNumber: null });
  publisher.begin()({ id: 'revoked', state: state(now), at: now, changeNumber: 7 });
  expect(entries).toEqual(new Map([['revoked', { value: state(now), stamp: { number: 7, at: now } }]]));
});

test('a lease that has ended is not shared', () => {
  publisher.begin()({ id: 'l', state: state(), at: now + 60_000, changeNumber: null });
  expect(entries.size).toBe(0);
});
