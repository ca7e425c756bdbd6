import { expect, it } from 'vitest';
import { describeClock } from './describe-clock.ts';

it.each([
  [59_000, null],
  [-60_000, '1 minute ahead'],
  [120_000, '2 minutes behind'],
  [-10_799_500, '3 hours ahead'],
  [172_800_000, '2 days behind'],
])('a computer whose clock is off by %d ms is warned with: %s', (offsetMs, words) => {
  expect(describeClock(offsetMs)).toBe(words);
});
