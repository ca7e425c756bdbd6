import { beforeEach, expect, test } from 'vitest';
import type { Change, Ledger, LedgerEntry, Notice } from '../events/index.ts';
import { publishLeases } from './publish-leases.ts';
import { RecentChanges } from './recent-changes.ts';
import type { StateStore, StoredState } from './state-store.ts';

const now = Date.UTC(2026, 0, 1);
const recent = new RecentChanges(10);
let entries: Map<string, StoredState>;
let ledger: Ledger;
let lastNumber: number;
/** What else is committed while an act runs. */
let meanwhile: () => void;

const view = (id: string, revokedAt: number | null = null) => ({
  id,
  viewerId: 'v',
  contentId: 'c',
  expiresAt: new Date(now + 60_000).toISOString(),
  revokedAt: revokedAt === null ? null : new Date(revokedAt).toISOString(),
});
const state = (revokedAt: number | null = null) => ({
  viewerId: 'v',
  contentId: 'c',
  expiresAt: now + 60_000,
  renewableUntil: now + 90_000,
  revokedAt,
});
const shown = (event: string, data: Record<string, unknown>): Notice => ({ topic: 'lease', event, data });
const revocation = (leaseId: string | null): Change => ({
  kind: 'leases',
  leaseId,
  viewerId: 'v',
  contentId: null,
});

beforeEach(() => {
  entries = new Map();
  recent.restart(5, 500);
  lastNumber = 5;
  meanwhile = () => {};
  const states: StateStore = {
    get: async () => null,
    set: (kind, key, value, stamp) => void entries.set(`${kind} ${key}`, { value, stamp }),
    state: () => 'up',
  };
  const entry = { now, change: async () => ++lastNumber, audit: async () => {}, notice: () => {} };
  const plain: Ledger = {
    async write(work) {
      const result = await work(entry as unknown as LedgerEntry);
      meanwhile();
      return result;
    },
  };
  ledger = publishLeases(plain, { states, recent, renewGraceSeconds: 30 });
});

test('a lease that was created or renewed is shared as of before the act, whatever happened meanwhile', async () => {
  meanwhile = () => {
    recent.add(6, 600, revocation('l'));
    recent.advance(6);
  };
  await ledger.write(async (entry) => entry.notice(shown('renewed', view('l'))));
  expect(entries).toEqual(new Map([['lease l', { value: state(), stamp: { number: 5, at: 500 } }]]));
});

test('a lease that was revoked is shared as of its own change', async () => {
  await ledger.write(async (entry) => {
    await entry.change({ kind: 'content', contentId: 'x' });
    await entry.change(revocation('l'));
    entry.notice(shown('revoked', view('l', now)));
  });
  expect(entries).toEqual(new Map([['lease l', { value: state(now), stamp: { number: 7, at: now } }]]));
});

test('an act that the database ran again shares what its last attempt did', async () => {
  const { write } = ledger;
  let attempts = 0;
  await write(async (entry) => {
    attempts++;
    entry.notice(shown('created', view(`l${attempts}`)));
  });
  expect([...entries.keys()]).toEqual(['lease l1']);
});

test('an act that failed shares nothing, nor does a revocation of many, nor what is no lease', async () => {
  await expect(
    ledger.write(async (entry) => {
      entry.notice(shown('created', view('l')));
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  await ledger.write(async (entry) => {
    await entry.change(revocation(null));
    entry.notice(shown('revoked', { viewerId: 'v', contentId: null, revoked: 3 }));
    entry.notice(shown('created', { ...view('l'), expiresAt: 'soon' }));
    entry.notice({ topic: 'content', event: 'created', data: { id: 'l' } });
  });
  expect(entries.size).toBe(0);
});
