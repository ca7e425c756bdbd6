import { expect, it } from 'vitest';
import { leaseFilter, sortOf, toLeaseQuery } from './lease-filter.ts';

const { everything } = leaseFilter;

it('only filled fields are sent to the server, without surrounding spaces', () => {
  const filter = leaseFilter.read(new URLSearchParams({ viewer: ' v ', content: ' ' }));
  expect(toLeaseQuery(filter)).toEqual({ viewerId: 'v' });
});

it('leases are sorted by their expiry only where all are active ones of everybody', () => {
  const filter = { ...everything, sort: 'expiresAt', state: 'active' } as const;
  expect(toLeaseQuery(filter)).toEqual({ state: 'active', sort: 'expiresAt' });
  expect([sortOf({ ...filter, state: null }), sortOf({ ...filter, viewer: 'v' })]).toEqual([null, null]);
  expect(sortOf({ ...everything, sort: 'createdAt', viewer: 'v' })).toBe('createdAt');
});
