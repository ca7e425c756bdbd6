import { beforeEach, describe, expect, test } from 'vitest';
import type { LeaseState } from '../contracts/index.ts';
import { createLeaseState } from '../testing/lease-state.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { AuthorityCache, EarlierState } from './authority-cache.ts';

const clock = createManualClock();
const lease = (viewerId: string, contentId: string) => createLeaseState({ viewerId, contentId });

let cache: AuthorityCache<LeaseState>;
/** The answer of the owner. Tests replace it. */
let answer: (key: string) => Promise<LeaseState | null>;

function create(options: { maxBytes?: number; namedSelectors?: number } = {}): AuthorityCache<LeaseState> {
  return new AuthorityCache<LeaseState>({
    load: (key) => answer(key),
    isNamed: (named, _key, value, step) =>
      value !== null && named.namedSince(value.viewerId, value.contentId, step),
    maxBytes: 100_000_000,
    bytesOf: () => 100,
    feed: { vouchesFor: () => true },
    clock,
    ...options,
  });
}

beforeEach(() => {
  answer = async () => lease('v', 'c');
  cache = create();
});

describe('a change that names a content', () => {
  test('a change that names a content invalidates each of its leases, and touches none before its next use', async () => {
    for (let i = 0; i < 20_000; i++) cache.settle(cache.begin(`of it ${i}`), lease(`v${i}`, 'film'));
    for (let i = 0; i < 10; i++) cache.settle(cache.begin(`of another ${i}`), lease(`v${i}`, 'other'));
    cache.invalidateSelector(null, 'film');
    expect(cache.size).toBe(20_010);
    let left = 0;
    for (let i = 0; i < 20_000; i++) if (cache.peek(`of it ${i}`)) left++;
    expect(left).toBe(0);
    expect(cache.size).toBe(10);
    for (let i = 0; i < 10; i++) expect(cache.peek(`of another ${i}`)).toBeDefined();
  });

  test('a change that names a content discards reads of its leases that were running', async () => {
    cache = create({ namedSelectors: 10 });
    const pending = cache.begin('l');
    cache.invalidateSelector(null, 'film');
    for (let i = 0; i < 1_000; i++) cache.invalidateSelector(`stranger ${i}`, null);
    expect(cache.settle(pending, lease('v', 'film'))).toBe(false);
    expect(cache.peek('l')).toBeUndefined();
  });

  test('a change that names a content does not invalidate leases that are read after it', () => {
    cache.invalidateSelector(null, 'film');
    expect(cache.settle(cache.begin('l'), lease('v', 'film'))).toBe(true);
    expect(cache.peek('l')).toBeDefined();
  });
});

test('a change that names one entry drops it and discards its reads, and affects no other entry', () => {
  cache.settle(cache.begin('a'), lease('v', 'c'));
  cache.settle(cache.begin('b'), lease('v', 'c'));
  const loads = [cache.begin('a'), cache.begin('a'), cache.begin('c')] as const;
  cache.invalidate('a');
  expect(cache.peek('a')).toBeUndefined();
  expect(cache.peek('b')).toBeDefined();
  expect(loads.map((pending) => cache.settle(pending, null))).toEqual([false, false, true]);
});

test('changes that name entries use no memory while reads run that never end', async () => {
  cache.begin('never answered');
  for (let i = 0; i < 100_000; i++) cache.invalidate(`lease ${i}`);
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});

test('callers share a read, but not one that began before a change named the key', async () => {
  const reads: ((value: LeaseState | null) => void)[] = [];
  answer = () => new Promise((resolve) => reads.push(resolve));
  const first = cache.load('l');
  const second = cache.load('l');
  expect(reads).toHaveLength(1);
  cache.invalidate('l');
  const third = cache.load('l');
  expect(reads).toHaveLength(2);
  reads[0]?.(lease('old', 'c'));
  await Promise.all([first, second]);
  expect(cache.peek('l')).toBeUndefined();
  reads[1]?.(lease('new', 'c'));
  await third;
  expect(cache.peek('l')?.value?.viewerId).toBe('new');
});

test('beyond ten thousand reads at once, an owner that does not answer makes further ones unavailable at once', async () => {
  answer = () => new Promise(() => {});
  for (let i = 0; i < 10_000; i++) void cache.load(`l${i}`);
  await expect(cache.load('one more')).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
  // One that is being read already waits with the others.
  const joined = cache.load('l0');
  await expect(Promise.race([joined, Promise.resolve('waits')])).resolves.toBe('waits');
});

test('an entry says whether its owner was read for it, and when', () => {
  cache.settle(cache.begin('read'), lease('v', 'c'));
  cache.settle(cache.begin('held'), new EarlierState(lease('v', 'c'), 5.7));
  expect(cache.peek('read')?.readAtMs).toBe(clock.now());
  // Rounded down: older than it is, never fresher.
  expect(cache.peek('held')).toMatchObject({ readAtMs: null, heldAtMs: 5 });
});

test('a cache keeps no more than its bytes, and counts what it drops', () => {
  cache = create({ maxBytes: 10_000 });
  for (let i = 0; i < 1_000; i++) {
    cache.settle(cache.begin(`l${i}`), i % 2 === 0 ? null : lease('v', 'c'));
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
  }
  expect(cache.size).toBeGreaterThan(10);
  cache.invalidateSelector('v', null);
  for (let i = 0; i < 1_000; i++) cache.invalidate(`l${i}`);
  expect([cache.size, cache.bytes]).toEqual([0, 0]);
});
