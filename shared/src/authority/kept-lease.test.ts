import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLeaseState } from '../testing/lease-state.ts';
import { KeptLease, keepLease, keptLeaseBytes } from './kept-lease.ts';

const time = fc.maxSafeNat();
const facts = { bytes: 300, loadNumber: 1, heldAtMs: 2, readAfterMs: null, step: 3 };

test('a lease that is cached has the viewer, the content and the times that were read, to the millisecond', () => {
  fc.assert(
    fc.property(
      fc.string(),
      time,
      time,
      fc.option(time),
      (viewerId, expiresAt, renewableUntil, revokedAt) => {
        const read = createLeaseState({ viewerId, expiresAt, renewableUntil, revokedAt });
        expect(new KeptLease(read, 'film', facts).value).toMatchObject(read);
      },
    ),
  );
});

test('a cached lease whose grace V8 cannot keep in its field counts as larger', () => {
  const lease = createLeaseState({ expiresAt: 1e12, renewableUntil: 1e12 + 30_000 });
  const longGrace = { ...lease, renewableUntil: 2e12 };
  expect(keptLeaseBytes(longGrace)).toBeGreaterThan(keptLeaseBytes(lease));
});

test('a cached session has its secret and the time from which it is extended, and takes more room than a plain lease', () => {
  const session = { secretHash: 'a'.repeat(64), extendFrom: 1e12 };
  const lease = createLeaseState({ session });
  expect(keepLease(lease, 'film', facts).value).toMatchObject(lease);
  expect(keptLeaseBytes(lease)).toBeGreaterThan(keptLeaseBytes(createLeaseState()));
  expect(keepLease(createLeaseState(), 'film', facts)).not.toHaveProperty('session');
});
