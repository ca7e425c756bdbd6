import { expect, it } from 'vitest';
import { takeIn } from './use-live-rows.ts';

const rows = [
  { id: 'a', name: 'first', usedAt: 'now' },
  { id: 'b', name: 'second', usedAt: 'then' },
];

it('a row changes in its place, keeps what the event left out, and what is not on the list does not come', () => {
  const changed = [{ id: 'b', name: 'other' } as (typeof rows)[number], { id: 'c', name: 'new', usedAt: '' }];
  expect(takeIn(rows, changed)).toEqual([rows[0], { id: 'b', name: 'other', usedAt: 'then' }]);
});

it('a list that nothing is said of stays the same', () => {
  expect(takeIn(rows, [{ id: 'c', name: 'new', usedAt: '' }])).toBe(rows);
});
