import { expect, test } from 'vitest';
import { median, quantile } from './quantile.ts';

test('the median of an odd number of values is one of them, and of an even number the mean of two', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([9, 1, 5, 6])).toBe(5.5);
  expect(median([])).toBeNaN();
});

test('a quantile is a value that was seen, by nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  expect([0, 0.5, 0.99, 1].map((share) => quantile(hundred, share))).toEqual([1, 50, 99, 100]);
  expect(quantile([7], 0.99)).toBe(7);
  expect(quantile([], 0.5)).toBeNaN();
});
