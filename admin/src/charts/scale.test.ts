import { expect, it } from 'vitest';
import { linearScale, logScale } from './scale.ts';

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
