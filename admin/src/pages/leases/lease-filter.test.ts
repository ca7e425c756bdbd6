import { expect, it } from 'vitest';
import { everyLease, isNarrowed, readFilter, sortOf, toLeaseQuery } from './lease-filter.ts';

it('invalid values in an address are ignored', () => {
  expect(readFilter(new URLSearchParams('state=gone&page=3'))).toEqual(everyLease);
  expect(isNarrowed(everyLease)).toBe(false);
});

it('only filled fields are sent to the server, without surrounding spaces', () => {
  expect(toLeaseQuery({ viewerId: ' v ', contentId: ' ', state: null, sort: null })).toEqual({
    viewerId: 'v',
  });
});

it('leases are sorted by their expiry only where all are active ones of everybody', () => {
  const filter = { ...everyLease, sort: 'expiresAt', state: 'active' } as const;
  expect(toLeaseQuery(filter)).toEqual({ state: 'active', sort: 'expiresAt' });
  expect([sortOf({ ...filter, state: null }), sortOf({ ...filter, viewerId: 'v' })]).toEqual([null, null]);
  expect(sortOf({ ...everyLease, sort: 'createdAt', viewerId: 'v' })).toBe('createdAt');
  expect(isNarrowed({ ...everyLease, sort: 'createdAt' })).toBe(false);
});
