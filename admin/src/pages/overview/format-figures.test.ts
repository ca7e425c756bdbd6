import { expect, it } from 'vitest';
import { formatDuration, formatRate, formatShare } from './format-figures.ts';

it('figures have the digits that somebody reads, and their units', () => {
  expect([0, 0.842, 3.44, 120.4, 1_240].map(formatDuration)).toEqual([
    '0 ms',
    '0.84 ms',
    '3.4 ms',
    '120 ms',
    '1.2 s',
  ]);
  expect([0, 0.0005, 0.0421, 0.37].map(formatShare)).toEqual(['0 %', '0.05 %', '4.2 %', '37 %']);
  expect([0, 0.05, 12.5, 1_204.2].map(formatRate)).toEqual(['0', '0.05', '12.5', '1,204']);
});
