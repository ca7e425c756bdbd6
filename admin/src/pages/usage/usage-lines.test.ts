import { expect, it } from 'vitest';
import type { Usage } from '../../api/schema.ts';
import { allOf, describeStep, refusedOf, shareOf, shareOfAll, toLines, toPoints } from './usage-lines.ts';

const minuteMs = 60_000;
const start = Date.UTC(2027, 0, 31, 12);
const iso = (minute: number) => new Date(start + minute * minuteMs).toISOString();
const usage = (completeMinute: number, stepSeconds = 60) => ({
  ...{ unavailable: null, requests: 'keys', by: 'content' as const, grafanaUrl: null, stepSeconds },
  from: iso(0),
  to: iso(5),
  completeUntil: iso(completeMinute),
  totals: { served: 5, refused: 1, points: [{ at: iso(1), served: 5, refused: 1 }] },
  series: [
    { id: 'a', served: 4, refused: 0, points: [{ at: iso(1), served: 4, refused: 0 }] },
    { id: 'b', served: 0, refused: 1, points: [{ at: iso(1), served: 0, refused: 1 }] },
  ],
  other: { served: 1, refused: 0, points: [{ at: iso(1), served: 1, refused: 0 }] },
});

it('a step that the server left out is zero', () => {
  const given = usage(5);
  expect(toPoints(given.totals, given, allOf).map(({ value }) => value)).toEqual([0, 6, 0, 0, 0]);
});

it('a step that is not over is not drawn', () => {
  const lengthOf = (given: Usage) => toPoints(given.totals, given, allOf).length;
  expect([lengthOf(usage(3)), lengthOf(usage(4.5))]).toEqual([3, 4]);
});

it('before anything is complete there is no point', () => {
  const given = usage(-2);
  expect(toPoints(given.totals, given, allOf)).toEqual([]);
});

it('series without such requests have no line, and what is left is one line', () => {
  const given = usage(5);
  const names = (amountOf: typeof refusedOf) =>
    toLines(given, amountOf, (id) => id.toUpperCase()).map(({ name, look }) => [name, look]);
  expect(names(allOf)).toEqual([
    ['A', 'series-1'],
    ['B', 'series-2'],
    ['All others', 'quiet'],
  ]);
  expect(names(refusedOf)).toEqual([['B', 'series-1']]);
});

it('a share of refusals is of the requests of its series, and of all requests for a code', () => {
  const given = usage(5);
  const valuesOf = (value: typeof shareOf) =>
    toPoints({ points: [{ at: iso(1), served: 3, refused: 1 }] }, given, value);
  expect(valuesOf(shareOf).map(({ value }) => value)).toEqual([null, 0.25, null, null, null]);
  expect(valuesOf(shareOfAll)[1]?.value).toBeCloseTo(1 / 6);
});

it.each([
  [1, 'each minute'],
  [10, 'every 10 minutes'],
  [60, 'each hour'],
  [120, 'every 2 hours'],
])('a step of %d minutes is described as %o', (minutes, words) => {
  expect(describeStep(minutes * minuteMs)).toBe(words);
});
