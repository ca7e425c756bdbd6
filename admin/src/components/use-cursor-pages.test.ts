import { expect, it } from 'vitest';
import { pushCursors, readCursors } from './use-cursor-pages.ts';

function createHistory(entries: unknown[] = [null]) {
  return {
    entries,
    get state() {
      return entries.at(-1);
    },
    pushState: (state: unknown) => void entries.push(state),
  };
}

it('another list starts at its first page', () => {
  const history = createHistory();
  pushCursors(history, 'all', ['b']);
  expect(readCursors(history.state, 'active')).toEqual([]);
});

it('turning to the first page from the first page adds no history entry', () => {
  const history = createHistory();
  pushCursors(history, 'all', []);
  expect(history.entries.length).toBe(1);
});

it.each([undefined, 1, {}, { cursors: null }, { cursors: { list: 'all', cursors: 'b' } }])(
  'a history state from elsewhere has no cursors: %j',
  (state) => expect(readCursors(state, 'all')).toEqual([]),
);
