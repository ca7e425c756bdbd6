import { expect, it } from 'vitest';
import { findNextKey } from './key-loader.ts';

const clear = { sn: 100, decryptdata: null };
const fragments = [0, 0, 0, 1, 1, 1, 2, 2, 2].map((epoch, sn) => ({
  sn,
  decryptdata: { uri: `key-${epoch}` },
}));

it.each([
  [0, undefined],
  [1, 'key-1'],
  [2, 'key-1'],
  [3, undefined],
  [4, 'key-2'],
  [8, undefined],
])('after segment %d the next key to fetch is %s', (sn, key) => {
  expect(findNextKey(fragments, sn)).toBe(key);
});

it('the first key after a clear beginning is found, and no key in a clear presentation', () => {
  expect(findNextKey([clear, { sn: 101, decryptdata: { uri: 'key-0' } }], 100)).toBe('key-0');
  expect(findNextKey([clear, { ...clear, sn: 101 }], 100)).toBeUndefined();
});

it('a segment that has left the playlist gives no next key', () => {
  expect(findNextKey(fragments, 77)).toBeUndefined();
  expect(findNextKey([], 'initSegment')).toBeUndefined();
});
