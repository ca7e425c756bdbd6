import { expect, it } from 'vitest';
import { countOf } from './format-count.ts';
import { formatCountdown } from './format-countdown.ts';
import { formatSize } from './format-size.ts';

it.each([
  [0, '0 leases'],
  [1, '1 lease'],
  [1_204_000, '1,204,000 leases'],
])('counts %i', (count, words) => {
  expect(countOf(count, 'lease')).toBe(words);
});

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_000, '1 kB'],
  [1_400_000_000, '1.4 GB'],
  [Number.MAX_SAFE_INTEGER, '9 PB'],
])('tells the size %i', (octets, words) => {
  expect(formatSize(octets)).toBe(words);
});

it.each([
  [-5_000, '0 s'],
  [1, '1 s'],
  [59_000, '59 s'],
  [60_000, '1 min 00 s'],
  [252_000, '4 min 12 s'],
  [3_600_000, '1 h 00 min'],
  [86_400_000 * 2 + 3_600_000 * 4, '2 d 04 h'],
])('counts %i ms down', (leftMs, words) => {
  expect(formatCountdown(leftMs)).toBe(words);
});
