import { expect, it } from 'vitest';
import { describeResult } from './describe-result.ts';

it.each([
  [{ revoked: 0 }, 'There was no lease left to revoke'],
  [{ revoked: 1 }, '1 lease revoked'],
  [{ revoked: 10_000 }, '10,000 leases revoked'],
])('a revocation that counted all of its leases gives their number: %o', (revocation, words) => {
  expect(describeResult(revocation)).toBe(words);
});

it('a revocation of more leases than were counted gives the counted number as a minimum', () => {
  const words = 'At least 10,000 leases revoked. The audit will show how many';
  expect(describeResult({ revoked: 10_000, more: true })).toBe(words);
});

it('a revocation with uncounted leases never reports that no lease was left, even if all counted ones were revoked before', () => {
  expect(describeResult({ revoked: 0, more: true })).toBe('Leases revoked. The audit will show how many');
});
