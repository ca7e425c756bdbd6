import { expect, it } from 'vitest';
import { describeResult } from './describe-result.ts';

it.each([
  [{ revoked: 0 }, 'No lease was left to revoke'],
  [{ revoked: 1 }, '1 lease revoked'],
  [{ revoked: 10_000 }, '10,000 leases revoked'],
])('a revocation that counted all of its leases says how many: %o', (revocation, words) => {
  expect(describeResult(revocation)).toBe(words);
});

it('a revocation of more leases than were counted gives their number as the least that it can be', () => {
  const words = 'At least 10,000 leases revoked. The audit will show how many';
  expect(describeResult({ revoked: 10_000, more: true })).toBe(words);
});

it('a revocation does not say that nothing was left to revoke where all that it counted had been revoked before and there was more', () => {
  expect(describeResult({ revoked: 0, more: true })).toBe('Leases revoked. The audit will show how many');
});
