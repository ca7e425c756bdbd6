import { expect, it } from 'vitest';
import {
  countOf,
  formatDuration,
  formatRate,
  formatShare,
  formatSize,
  formatTotal,
} from './format-numbers.ts';
import { formatCountdown } from './format-time.ts';

it.each([
  [0, '0 leases'],
  [1, '1 lease'],
  [1_204_000, '1,204,000 leases'],
])('%i is formatted as a count with the right noun', (count, words) => {
  expect(countOf(count, 'lease')).toBe(words);
});

it('a total at the limit of counting shows that there may be more', () => {
  expect([formatTotal(1_204), formatTotal(9_999, 10_000), formatTotal(10_000, 10_000)]).toEqual([
    '1,204',
    '9,999',
    '10,000 or more',
  ]);
});

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_000, '1 kB'],
  [1_400_000_000, '1.4 GB'],
  [Number.MAX_SAFE_INTEGER, '9 PB'],
])('a size of %i bytes is formatted in the largest unit that fits', (bytes, words) => {
  expect(formatSize(bytes)).toBe(words);
});

it.each([
  [-5_000, '0 s'],
  [1, '1 s'],
  [59_000, '59 s'],
  [60_000, '1 min 00 s'],
  [252_000, '4 min 12 s'],
  [3_600_000, '1 h 00 min'],
  [86_400_000 * 2 + 3_600_000 * 4, '2 d 04 h'],
])('%i ms left are formatted in the two largest units', (leftMs, words) => {
  expect(formatCountdown(leftMs)).toBe(words);
});

it('durations, shares and rates are formatted with readable digits and units', () => {
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
