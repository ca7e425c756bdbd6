import { expect, it } from 'vitest';
import { latestAt, linearScale, logScale, nearest, trace } from './geometry.ts';

it.each([
  [[], [0, 0.5, 1]],
  [
    [0, 3],
    [0, 1, 2, 3],
  ],
  [[97], [0, 50, 100]],
  [[0.05], [0, 0.02, 0.04, 0.06]],
])('a linear axis for %o has the ticks %o', (values, ticks) => {
  expect(linearScale(values).ticks).toEqual(ticks);
});

it('a linear axis for counts has whole ticks', () => {
  expect(linearScale([1], 1).ticks).toEqual([0, 1]);
});

it('a logarithmic axis goes from one power of ten to another', () => {
  const { at, ticks } = logScale([0.4, 500]);
  expect(ticks).toEqual([0.1, 1, 10, 100, 1_000]);
  expect([at(0.1), at(10), at(1_000), at(0), at(99_999)]).toEqual([0, 0.5, 1, 0, 1]);
});

const area = { width: 100, height: 10, from: 0, to: 100 };
const draw = (...points: [at: number, value: number | null][]) =>
  trace(
    points.map(([at, value]) => ({ at, value })),
    area,
    (value) => value / 10,
    10,
  );

it('a line is drawn, with the area below it', () => {
  expect(draw([0, 0], [10, 5], [20, 10])).toEqual({
    line: 'M0 10L10 5L20 0',
    dots: '',
    fill: 'M0 10L0 10L10 5L20 0L20 10Z',
  });
});

it('a line breaks at missing values, and a single point becomes a dot', () => {
  expect(draw([0, 0], [10, null], [20, 10])).toMatchObject({ line: '', dots: 'M0 10h0M20 0h0' });
  expect(draw([0, 0], [5, 0], [30, 10])).toMatchObject({ line: 'M0 10L5 10', dots: 'M30 0h0' });
});

it('a very short line becomes a dot as well', () => {
  expect(draw([0, 0], [0.5, 0], [30, 10], [40, 10])).toMatchObject({
    line: 'M0 10L0.5 10M30 0L40 0',
    dots: 'M0.5 10h0',
  });
});

it('points outside of the range are left out, and no points draw nothing', () => {
  expect(draw([-1, 1], [101, 1])).toEqual({ line: '', dots: '', fill: '' });
});

it('the point nearest to the pointer is found', () => {
  const points = [
    { at: 0, value: 1 },
    { at: 10, value: null },
  ];
  expect(nearest(points, 6, 10)).toBe(points[1]);
  expect(nearest(points, 40, 10)).toBeNull();
});

it('the latest value may come from any line, and a missing measurement is not a value', () => {
  const line = (...values: (number | null)[]) => ({
    ...{ name: 'n', look: 'main' as const },
    points: values.map((value, at) => ({ at, value })),
  });
  expect(latestAt([line(1, 2, null), line(1, null, 0, null)])).toBe(2);
  expect(latestAt([line(null), line()])).toBeNull();
});
