import { beforeEach, expect, test } from 'vitest';
import { type Bus, createInProcessBus } from '../events/index.ts';
import { createLeaseState } from '../testing/lease-state.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { type Authority, createAuthority } from './authority.ts';

const unasked = () => Promise.reject(new Error('nothing else is loaded here'));
const lease = createLeaseState();
const notice = { topic: 'lease', event: 'renewed', data: { id: 'l' } } as const;
let bus: Bus;
let authority: Authority;

beforeEach(async () => {
  const clock = createManualClock();
  bus = createInProcessBus((error) => {
    throw error;
  });
  authority = createAuthority({
    apiKeys: { findApiKey: unasked, noteUse: () => {} },
    contents: { findContent: unasked },
    leases: { findLease: async () => lease, findMark: unasked },
    follower: {
      limitMs: 5_000,
      vouchesFor: () => true,
      ageMs: () => 0,
      seenUpToMs: () => clock.monotonic(),
      onChange: () => {},
      pull: unasked,
      stop: () => {},
    },
    bus,
    clock,
  });
  await authority.leases.load('l');
  await authority.leases.load('other');
});

test('a renewal makes the cache read its lease again, and no other lease', () => {
  bus.publish({ type: 'renewal', leaseId: 'l', notice });
  expect(authority.leases.peek('l')).toBeUndefined();
  expect(authority.leases.peek('other')?.value).toMatchObject(lease);
});

test('a notice of the event stream changes no cached state', () => {
  bus.publish({ type: 'notice', notice });
  expect(authority.leases.peek('l')?.value).toMatchObject(lease);
});
