import { expect, it } from 'vitest';
import { byCreation, directionOf, listOrders, nextOrder } from './column-sort.ts';

const byName = { by: 'name', ascending: 'A to Z', descending: 'Z to A' };

it('a click on a header sorts by its column, and a second one turns the order around', () => {
  expect(nextOrder(byName, '-createdAt')).toBe('name');
  expect(nextOrder(byName, 'name')).toBe('-name');
  expect(nextOrder(byName, '-name')).toBe('name');
  expect(nextOrder(byCreation, 'name')).toBe('-createdAt');
  expect(nextOrder(byCreation, '-createdAt')).toBe('createdAt');
});

it('only the column that a list is sorted by has a direction', () => {
  expect([
    directionOf(byName, '-name'),
    directionOf(byName, 'name'),
    directionOf(byName, 'createdAt'),
  ]).toEqual(['descending', 'ascending', undefined]);
});

it('every order of the columns can be chosen in words', () => {
  const columns = [{ header: 'Name', sort: byName }, { header: 'Scope' }];
  expect(listOrders(columns)).toEqual([
    { value: '-name', label: 'Name: Z to A' },
    { value: 'name', label: 'Name: A to Z' },
  ]);
});
