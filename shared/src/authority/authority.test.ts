import { beforeEach, expect, test } from 'vitest';
import type { ApiKeyState } from '../contracts/index.ts';
import { type Bus, createInProcessBus } from '../events/index.ts';
import { createLeaseState } from '../testing/lease-state.ts';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { type Authority, apiKeyCacheKey, createAuthority } from './authority.ts';

const unasked = () => Promise.reject(new Error('nothing else is loaded here'));
const lease = createLeaseState();
const notice = { topic: 'lease', event: 'renewed', data: { id: 'l' } } as const;
const limitMs = 5_000;
let bus: Bus;
let authority: Authority;
let clock: ManualClock;
/** The answer of the owner of API keys. Tests replace it. */
let findApiKey: (keyHash: string) => Promise<ApiKeyState | null>;

beforeEach(async () => {
  clock = createManualClock();
  findApiKey = unasked;
  bus = createInProcessBus((error) => {
    throw error;
  });
  authority = createAuthority({
    apiKeys: { findApiKey: (keyHash) => findApiKey(keyHash), noteUse: () => {} },
    contents: { findContent: unasked },
    leases: { findLease: async () => lease, findMark: unasked },
    follower: {
      limitMs,
      vouchesFor: () => true,
      ageMs: () => 0,
      seenUpToMs: () => clock.monotonic(),
      place: () => null,
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

test('a bootstrap key and an unknown key are read again after the age limit, although the feed names no change of them; a stored key is not', async () => {
  const state = { name: 'k', scope: 'admin', expiresAt: null, revokedAt: null } as const;
  const answers: Record<string, ApiKeyState | null> = {
    bootstrap: { ...state, id: null },
    stored: { ...state, id: 'stored' },
    unknown: null,
  };
  findApiKey = async (keyHash) => answers[keyHash] ?? null;
  const keys = Object.keys(answers).map((keyHash) => apiKeyCacheKey(keyHash, true));
  for (const key of keys) await authority.apiKeys.load(key);
  const known = () => keys.map((key) => authority.apiKeys.peek(key) !== undefined);
  clock.advance(limitMs);
  expect(known()).toEqual([true, true, true]);
  clock.advance(1);
  expect(known()).toEqual([false, true, false]);
  // The owner was started with another bootstrap key.
  answers.bootstrap = null;
  answers.unknown = { ...state, id: null };
  for (const key of keys) await authority.apiKeys.load(key);
  expect(keys.map((key) => authority.apiKeys.peek(key)?.value ?? null)).toEqual([
    null,
    answers.stored,
    answers.unknown,
  ]);
});
