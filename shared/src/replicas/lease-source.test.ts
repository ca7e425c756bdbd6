import { beforeEach, describe, expect, test } from 'vitest';
import { EarlierState } from '../authority/index.ts';
import type { LeaseState } from '../contracts/index.ts';
import { createFeedProgress, type FeedProgress } from '../events/index.ts';
import { createLeaseState } from '../testing/lease-state.ts';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { createSharedLeaseReaders } from './lease-source.ts';
import { RecentChanges } from './recent-changes.ts';
import type { StateStore, StoredState } from './state-store.ts';

let clock: ManualClock;
let progress: FeedProgress;
let recent: RecentChanges;
let entries: Map<string, StoredState>;
let owner: { value: LeaseState | null; mark: number | null; asOf: number };
let asked: string[];
let readers: ReturnType<typeof createSharedLeaseReaders>;

const history = 'this database';
const stamp = { number: 5, at: 500, history };
const link = { id: '6', previous: '5' };

beforeEach(() => {
  clock = createManualClock();
  recent = new RecentChanges(10);
  progress = createFeedProgress(clock, () => {}, recent);
  const row = { number: 5, at: 500, id: '5', previous: '4' };
  progress.start(progress.begin(), 5, [{ ...row, change: { kind: 'content', contentId: 'x' } }], history);
  entries = new Map();
  asked = [];
  owner = { value: lease({ renewableUntil: clock.now() + 2_000 }), mark: 7, asOf: 5 };
  const states: StateStore = {
    get: async (kind, key) => entries.get(`${kind} ${key}`) ?? null,
    set: (kind, key, value, at) => void entries.set(`${kind} ${key}`, { value, stamp: at }),
    state: () => 'up',
  };
  const read = async (key: string) => {
    asked.push(key);
    return { value: owner.value, asOf: owner.asOf };
  };
  const findMark = async (viewerId: string, contentId: string) => {
    asked.push(`${viewerId} of ${contentId}`);
    return { value: owner.mark, asOf: owner.asOf };
  };
  clock.advance(100);
  const shared = { owner: { findLease: read, findMark }, states, recent };
  readers = createSharedLeaseReaders(shared, progress, clock);
});

function lease(fields: Partial<LeaseState> = {}): LeaseState {
  const expiresAt = clock.now() + 1_000;
  return createLeaseState({ viewerId: 'v', contentId: 'c', expiresAt, renewableUntil: expiresAt, ...fields });
}

describe('a shared lease', () => {
  test('a shared lease is returned without a call to the owner, as a state of the instant up to which the feed was followed', async () => {
    const value = lease();
    entries.set('lease l', { value, stamp });
    expect(await readers.lease.load('l')).toEqual(new EarlierState(value, 0));
    expect(asked).toEqual([]);
  });

  test.each([
    ['the lease', { leaseId: 'l', viewerId: null, contentId: null }],
    ['its viewer', { leaseId: null, viewerId: 'v', contentId: null }],
    ['its content', { leaseId: null, viewerId: null, contentId: 'c' }],
    ['both', { leaseId: null, viewerId: 'v', contentId: 'c' }],
  ])('is not believed once a change has named %s', async (_what, named) => {
    entries.set('lease l', { value: lease(), stamp });
    progress.receive(6, 600, { kind: 'leases', ...named }, link);
    expect(await readers.lease.load('l')).toEqual(owner.value);
  });

  test.each([
    ['has expired, because it may have been renewed', () => lease({ expiresAt: clock.now() })],
    ['is recorded as missing, because it may have been created', () => null],
    ['is no lease', () => ({ viewerId: 'v' })],
    ['has a malformed time', () => lease({ revokedAt: 0.5 })],
  ])('is read from the owner if it %s', async (_what, value) => {
    entries.set('lease l', { value: value(), stamp });
    expect(await readers.lease.load('l')).toEqual(owner.value);
    expect(asked).toEqual(['l']);
  });

  test('a shared lease that is revoked is used although it would still be renewable', async () => {
    const value = lease({ expiresAt: clock.now() - 1, revokedAt: 1 });
    entries.set('lease l', { value, stamp });
    expect(await readers.lease.load('l')).toEqual(new EarlierState(value, 0));
  });

  test('the owner is called where the feed has not been followed for 2.5 s, so that a decision gets a fresh state', async () => {
    const value = lease({ expiresAt: clock.now() + 9_000 });
    for (const key of ['l', 'm']) entries.set(`lease ${key}`, { value, stamp });
    clock.advance(2_400);
    expect(await readers.lease.load('l')).toBeInstanceOf(EarlierState);
    clock.advance(1);
    expect(await readers.lease.load('m')).toEqual(owner.value);
  });

  test('a shared lease is not used again after the owner was read until the feed was followed further, because the read may be newer', async () => {
    const value = lease();
    entries.set('lease l', { value, stamp });
    expect(await readers.lease.load('l')).toBeInstanceOf(EarlierState);
    expect(await readers.lease.load('l')).toEqual(owner.value);
    entries.set('lease l', { value, stamp });
    expect(await readers.lease.load('l')).toEqual(owner.value);
    clock.advance(1);
    progress.apply(progress.begin(), { head: 5, history, changes: [] });
    expect(await readers.lease.load('l')).toBeInstanceOf(EarlierState);
  });
});

describe('what the owner answers', () => {
  test('an answer of the owner is shared with the number at which it is true, although the feed has been followed further', async () => {
    progress.receive(6, 600, { kind: 'content', contentId: 'y' }, link);
    expect(await readers.lease.load('l')).toEqual(owner.value);
    expect(entries.get('lease l')).toEqual({ value: owner.value, stamp });
  });

  test('an answer of an owner that is ahead is shared with the last number known here', async () => {
    owner.asOf = 9;
    await readers.lease.load('l');
    expect(entries.get('lease l')?.stamp).toEqual(stamp);
  });

  test('an answer without a lease is not shared', async () => {
    owner.value = null;
    expect(await readers.lease.load('l')).toBeNull();
    expect(entries.size).toBe(0);
  });

  test('answers about marks are shared, also if no mark exists', async () => {
    owner.mark = null;
    expect(await readers.mark.load('c v w')).toBeNull();
    expect(asked).toEqual(['v w of c']);
    expect(entries.get('mark c v w')).toEqual({ value: null, stamp });
    clock.advance(1);
    progress.apply(progress.begin(), { head: 5, history, changes: [] });
    expect(await readers.mark.load('c v w')).toEqual(new EarlierState(null, clock.monotonic()));
    progress.receive(6, 600, { kind: 'leases', leaseId: 'l', viewerId: 'v w', contentId: 'c' }, link);
    await readers.mark.load('c v w');
    expect(asked).toHaveLength(2);
  });
});
