import { expect, it } from 'vitest';
import { createEdgeWatch, findPeriods } from './key-periods.ts';

/** Segments of 2 s from this time on, with these epochs; null for a clear one. */
const playlist = (startSeconds: number, ...epochs: (number | null)[]) =>
  epochs.map((epoch, index) => ({
    sn: index,
    start: startSeconds + index * 2,
    duration: 2,
    decryptdata: epoch === null ? null : { uri: `${epoch}` },
  }));
const createWatch = () => createEdgeWatch((url) => String(Number(url) + 1));

it('a playlist has the periods of its keys, and only the first may have begun before it', () => {
  expect(findPeriods(playlist(10, 3, 3, 4, null, 4, 5))).toEqual([
    { url: '3', startSeconds: 10, endSeconds: 14, hasStart: false },
    { url: '4', startSeconds: 14, endSeconds: 20, hasStart: true },
    { url: '5', startSeconds: 20, endSeconds: 22, hasStart: true },
  ]);
  expect(findPeriods(playlist(0, null, null))).toEqual([]);
});

it('the length of a period is known from a playlist that has a whole one', () => {
  expect(createWatch().update(playlist(0, 3, 4, 4, 4, 5))).toEqual({
    url: '5',
    previousUrl: '4',
    startSeconds: 8,
    lengthSeconds: 6,
  });
});

it('the length of a period is learned from playlists that are shorter than it', () => {
  const watch = createWatch();
  const updates = [
    playlist(0, 3, 3),
    playlist(2, 3, 4),
    playlist(4, 4, 4),
    playlist(6, 4, 4),
    playlist(8, 4, 5),
    playlist(10, 5, 5),
  ].map((fragments) => watch.update(fragments));
  expect(updates.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
  expect(updates[4]).toEqual({ url: '5', previousUrl: '4', startSeconds: 10, lengthSeconds: 6 });
  expect(updates[5]).toEqual({ url: '5', previousUrl: undefined, startSeconds: 10, lengthSeconds: 6 });
});

it('an epoch that was left out says nothing of the length of a period', () => {
  expect(createWatch().update(playlist(0, 3, 4, 4, 9))).toBeUndefined();
});
