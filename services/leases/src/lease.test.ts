import { describe, expect, it } from 'vitest';
import { statusOf } from './lease.ts';
import { makeLease } from './stored-leases.fixture.ts';

const lease = makeLease({ createdAt: 0, expiresAt: 1_000 });

describe('the state of a lease', () => {
  it('a lease is active until the millisecond of its expiry, and expired from then on', () => {
    expect(statusOf(lease, 999)).toBe('active');
    expect(statusOf(lease, 1_000)).toBe('expired');
  });

  it('a revoked lease stays revoked after its expiry', () => {
    expect(statusOf({ ...lease, revokedAt: 5 }, 10)).toBe('revoked');
    expect(statusOf({ ...lease, revokedAt: 5 }, 5_000)).toBe('revoked');
  });
});
