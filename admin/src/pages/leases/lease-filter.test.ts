import { expect, it } from 'vitest';
import { addressOf, everyLease, isNarrowed, readFilter, toLeaseQuery, writeFilter } from './lease-filter.ts';

it('an address stores the filter, with any characters in the IDs', () => {
  const filter = { viewerId: 'a&b=c #\u202E', contentId: 'film-1', state: 'revoked' } as const;
  expect(readFilter(writeFilter(filter))).toEqual(filter);
  expect(addressOf({ contentId: 'film-1' })).toBe('/leases?content=film-1');
  expect(addressOf({})).toBe('/leases');
});

it('invalid values in an address are ignored', () => {
  expect(readFilter(new URLSearchParams('state=gone&page=3'))).toEqual(everyLease);
  expect(isNarrowed(everyLease)).toBe(false);
});

it('only filled fields are sent to the server, without surrounding spaces', () => {
  expect(toLeaseQuery({ viewerId: ' v ', contentId: ' ', state: null })).toEqual({ viewerId: 'v' });
});
