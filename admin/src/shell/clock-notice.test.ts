import { expect, it } from 'vitest';
import { describeClock } from './clock-notice.tsx';

it.each([
  [59_000, null],
  [-60_000, '1 minute ahead'],
  [120_000, '2 minutes behind'],
  [-10_799_500, '3 hours ahead'],
  [172_800_000, '2 days behind'],
])('an offset of %d ms is described as %s', (offsetMs, words) => {
  expect(describeClock(offsetMs)).toBe(words);
});
