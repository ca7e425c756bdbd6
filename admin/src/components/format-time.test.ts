import { expect, it } from 'vitest';
import { formatRelative } from './format-time.ts';

const now = Date.UTC(2026, 0, 15);
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

it.each([
  [0, 'just now'],
  [-44 * second, 'just now'],
  [-50 * second, '1 minute ago'],
  [-59.6 * minute, '1 hour ago'],
  [-3 * hour, '3 hours ago'],
  [-day, 'yesterday'],
  [5 * day, 'in 5 days'],
  [30 * day, 'in 30 days'],
  [-100 * day, '3 months ago'],
  [400 * day, 'in 1 year'],
])('%i ms from now is formatted as "%s"', (distance, words) => {
  expect(formatRelative(now + distance, now)).toBe(words);
});
