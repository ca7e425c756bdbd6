import { expect, it } from 'vitest';
import { updateRows } from './use-list-page.ts';

const rows = [
  { id: 'a', name: 'first', usedAt: 'now' },
  { id: 'b', name: 'second', usedAt: 'then' },
];

it('a row is updated in place, keeps fields that the event leaves out, and unknown rows are not added', () => {
  const changed = [{ id: 'b', name: 'other' } as (typeof rows)[number], { id: 'c', name: 'new', usedAt: '' }];
  expect(updateRows(rows, changed)).toEqual([rows[0], { id: 'b', name: 'other', usedAt: 'then' }]);
});

it('a list without changed rows stays the same array', () => {
  expect(updateRows(rows, [{ id: 'c', name: 'new', usedAt: '' }])).toBe(rows);
});
