import { describe, expect, it } from 'vitest';
import { usualRules } from './lease.fixture.ts';
import { statusOf } from './lease.ts';
import { grantTtlSeconds, renewAfterSeconds } from './lease-rules.ts';
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

describe('the life of a lease', () => {
  it('a lease lives as long as requested, up to the maximum, and the default time without a request', () => {
    expect(grantTtlSeconds(usualRules, undefined)).toBe(300);
    expect(grantTtlSeconds(usualRules, 20)).toBe(20);
    expect(grantTtlSeconds(usualRules, Number.MAX_SAFE_INTEGER)).toBe(3_600);
  });

  it('a lease should be renewed after three quarters of its life, and never at once', () => {
    expect(renewAfterSeconds(300)).toBe(225);
    expect(renewAfterSeconds(5)).toBe(3);
    expect(renewAfterSeconds(1)).toBe(1);
  });
});
