import { expect, it } from 'vitest';
import { readWay, turnTo } from './use-cursor-pages.ts';

function createHistory(entries: unknown[] = [null]) {
  return {
    entries,
    get state() {
      return entries.at(-1);
    },
    pushState: (state: unknown) => void entries.push(state),
  };
}

it('each page of a list has an entry of the history, which says the way to it', () => {
  const history = createHistory();
  turnTo(history, 'all', ['b']);
  turnTo(history, 'all', ['b', 'c']);
  expect(history.entries.map((state) => readWay(state, 'all'))).toEqual([[], ['b'], ['b', 'c']]);
});

it('another list begins at its first page', () => {
  const history = createHistory();
  turnTo(history, 'all', ['b']);
  expect(readWay(history.state, 'active')).toEqual([]);
});

it('the first page is not gone to from itself', () => {
  const history = createHistory();
  turnTo(history, 'all', []);
  expect(history.entries.length).toBe(1);
});

it.each([undefined, 1, {}, { cursorWay: null }, { cursorWay: { list: 'all', cursors: 'b' } }])(
  'what somebody else has written there is no way: %j',
  (state) => expect(readWay(state, 'all')).toEqual([]),
);
