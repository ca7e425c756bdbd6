import { expect, it } from 'vitest';
import { stepTo } from './use-chart-pointer.ts';

const range = { from: 0, to: 100, stepMs: 10 };

it.each([
  ['ArrowLeft', 55, 40],
  ['ArrowRight', 55, 60],
  ['ArrowRight', 95, 90],
  ['ArrowLeft', 3, 0],
  ['Home', 55, 0],
  ['End', 55, 90],
  ['PageDown', 95, 0],
  ['ArrowLeft', 100, 80],
])('the key %s at %d leads to the step at %d', (key, at, expected) => {
  expect(stepTo(key, at, range)).toBe(expected);
});

it('other keys lead nowhere', () => {
  expect(stepTo('a', 55, range)).toBeNull();
});
