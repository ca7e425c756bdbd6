import type { BusMessage, Ledger, LedgerEntry } from '@latchkey/shared/events';
import type { LeasePublisher, PublishedLease } from '@latchkey/shared/replicas';
import { createLeaseState } from '@latchkey/shared/testing';
import { beforeEach, expect, test } from 'vitest';
import type { Lease } from './lease.ts';
import { createLeaseLedger, type LeaseLedger } from './lease-ledger.ts';
import { makeLease } from './stored-leases.fixture.ts';

const now = Date.UTC(2026, 0, 1);
const lease = makeLease({ id: 'l', createdAt: now, expiresAt: now + 60_000 });
const state = createLeaseState({ expiresAt: now + 60_000, renewableUntil: now + 90_000 });
/** The steps of a write, in their order. */
let order: string[];
let announced: BusMessage[];
let published: PublishedLease[];
/** How often the database has an act run. */
let attempts: number;
let ledger: LeaseLedger;

beforeEach(() => {
  order = [];
  announced = [];
  published = [];
  attempts = 1;
  const entry: Partial<LedgerEntry> = {
    now,
    change: async () => 7,
    notice: (notice) => void announced.push({ type: 'notice', notice }),
    renewal: (leaseId, notice) => void announced.push({ type: 'renewal', leaseId, notice }),
  };
  const plain: Ledger = {
    async write(work) {
      let result = await work(entry as LedgerEntry);
      for (let again = 1; again < attempts; again++) result = await work(entry as LedgerEntry);
      order.push('committed');
      return result;
    },
  };
  const publisher: LeasePublisher = {
    begin() {
      order.push('begun');
      return (one) => {
        order.push('published');
        published.push(one);
      };
    },
  };
  ledger = createLeaseLedger(plain, publisher, { renewGraceSeconds: 30 });
});

test('the leases of an act are published to replicas after its commit, with the place in the feed from before it, and announced to the event stream', async () => {
  await ledger.write(async (entry) => entry.created(lease));
  expect(order).toEqual(['begun', 'committed', 'published']);
  expect(published).toEqual([{ id: 'l', state, at: now, changeNumber: null }]);
  const data = expect.objectContaining({ id: 'l', viewerId: 'ann', state: 'active' });
  expect(announced).toEqual([{ type: 'notice', notice: { topic: 'lease', event: 'created', data } }]);
});

test('a renewal of a lease is announced as a renewal, with the notice for the event stream', async () => {
  await ledger.write(async (entry) => entry.renewed(lease));
  const data = expect.objectContaining({ id: 'l', state: 'active' });
  expect(announced).toEqual([
    { type: 'renewal', leaseId: 'l', notice: { topic: 'lease', event: 'renewed', data } },
  ]);
});

test('a revoked lease is published to replicas with the number of its change', async () => {
  const revoked: Lease = { ...lease, revokedAt: now, revokedBy: 'management' };
  await ledger.write(async (entry) => {
    const leaseId = lease.id;
    entry.revoked(revoked, await entry.change({ kind: 'leases', leaseId, viewerId: null, contentId: null }));
  });
  expect(published).toEqual([{ id: 'l', state: { ...state, revokedAt: now }, at: now, changeNumber: 7 }]);
  expect(announced).toMatchObject([{ type: 'notice', notice: { topic: 'lease', event: 'revoked' } }]);
});

test('an act on leases that the database ran twice publishes only its last attempt', async () => {
  attempts = 2;
  let attempt = 0;
  await ledger.write(async (entry) => entry.created({ ...lease, id: `l${++attempt}` }));
  expect(published.map(({ id }) => id)).toEqual(['l2']);
});

test('an act on leases that failed publishes nothing', async () => {
  const failing = ledger.write(async (entry) => {
    entry.created(lease);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(published).toEqual([]);
});
