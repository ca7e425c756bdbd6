import { expect, it } from 'vitest';
import { createFilter, searchText } from './use-address-filter.ts';

const { read, write, everything, isNarrowed } = createFilter({
  q: searchText,
  status: ['active', 'revoked'],
  page: (text) => (/^\d+$/.test(text) ? text : ''),
  sort: ['name', '-name'],
});

it('unknown parameters and values of an address are ignored', () => {
  expect(read(new URLSearchParams('status=odd&page=two&sort=size&x=1'))).toEqual(everything);
  expect(everything).toEqual({ q: '', status: null, page: '', sort: null });
});

it('an address has what a filter sets, and reads as the same filter', () => {
  const filter = { ...everything, q: 'a&b', status: 'active', page: '2' } as const;
  expect(String(write(filter))).toBe('q=a%26b&status=active&page=2');
  expect(read(write(filter))).toEqual(filter);
});

it('every field but the order and the page narrows a list', () => {
  expect(
    [{}, { sort: 'name', page: '2' }, { q: 'a' }].map((part) =>
      isNarrowed({ ...everything, ...part } as typeof everything),
    ),
  ).toEqual([false, false, true]);
});

it('the texts to search for lose the spaces around them', () => {
  expect(read(new URLSearchParams('q=+a+b+'))).toEqual({ ...everything, q: 'a b' });
});
