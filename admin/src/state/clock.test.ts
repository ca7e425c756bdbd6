import { expect, it } from 'vitest';
import { createClock } from './clock.ts';

const noon = Date.parse('2027-01-31T12:00:00.300Z');
const hour = 3_600_000;
const dateOf = (ms: number) => new Date(ms).toUTCString();

it.each([3 * hour, -48 * hour])('a computer whose clock is %d ms ahead counts by the server', (aheadMs) => {
  const clock = createClock(() => noon + aheadMs);
  clock.hear(dateOf(noon), noon + aheadMs - 20);
  expect(Math.abs(clock.now() - noon)).toBeLessThan(1_000);
  expect(Math.abs(clock.offsetMs.get() + aheadMs)).toBeLessThan(1_000);
});

it('a clock that is right stays as it is, however slow an answer was', () => {
  let local = noon;
  const clock = createClock(() => local);
  clock.hear(dateOf(noon), noon);
  local = noon + 14_000;
  clock.hear(dateOf(noon), noon);
  clock.hear(dateOf(noon + 14_000), noon);
  expect(clock.offsetMs.get()).toBe(0);
});

it('what was once found stays until it is wrong', () => {
  let local = noon + hour;
  const clock = createClock(() => local);
  clock.hear(dateOf(noon), local);
  const found = clock.offsetMs.get();
  local += 10_400;
  clock.hear(dateOf(noon + 10_400), local);
  expect(clock.offsetMs.get()).toBe(found);
  // Somebody has set it right.
  local = noon + 20_000;
  clock.hear(dateOf(local), local);
  expect(Math.abs(clock.offsetMs.get())).toBeLessThan(1_000);
});

it('an answer without a date says nothing', () => {
  const clock = createClock(() => noon);
  clock.hear(null, noon);
  clock.hear('soon', noon);
  expect(clock.now()).toBe(noon);
});
