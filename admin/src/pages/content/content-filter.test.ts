import { expect, it } from 'vitest';
import { everyContent, isNarrowed, readFilter, toContentQuery, writeFilter } from './content-filter.ts';

it('an address stores search, status and page', () => {
  const filter = { q: 'a&b', status: 'disabled', sort: 'name', page: 3 } as const;
  expect(readFilter(writeFilter(filter))).toEqual(filter);
  expect(writeFilter(everyContent).size).toBe(0);
});

it.each(['page=0', 'page=-1', 'page=1.5', 'page=x', 'page=9e15', 'status=gone'])(
  'invalid values in an address are ignored: %s',
  (query) => {
    expect(readFilter(new URLSearchParams(query))).toEqual(everyContent);
  },
);

it('a page is requested by its offset', () => {
  expect(toContentQuery({ q: ' x ', status: null, sort: null, page: 3 })).toEqual({
    q: 'x',
    limit: 50,
    offset: 100,
  });
  expect(isNarrowed({ ...everyContent, page: 2 })).toBe(false);
});
