import { expect, it } from 'vitest';
import { addressOf, everyLease, isNarrowed, readFilter, toLeaseQuery, writeFilter } from './lease-filter.ts';

it('an address keeps the filter, whatever the ids have in them', () => {
  const filter = { viewerId: 'a&b=c #\u202E', contentId: 'film-1', state: 'revoked' } as const;
  expect(readFilter(writeFilter(filter))).toEqual(filter);
  expect(addressOf({ contentId: 'film-1' })).toBe('/leases?content=film-1');
  expect(addressOf({})).toBe('/leases');
});

it('what an address has and nobody knows counts as absent', () => {
  expect(readFilter(new URLSearchParams('state=gone&page=3'))).toEqual(everyLease);
  expect(isNarrowed(everyLease)).toBe(false);
});

it('asks the server for what is there, without the spaces that pasting brings', () => {
  expect(toLeaseQuery({ viewerId: ' v ', contentId: ' ', state: null })).toEqual({ viewerId: 'v' });
});
