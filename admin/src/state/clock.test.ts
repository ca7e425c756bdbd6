import { expect, it } from 'vitest';
import { createClock } from './clock.ts';

const noon = Date.parse('2027-01-31T12:00:00.300Z');
const hour = 3_600_000;
const dateOf = (ms: number) => new Date(ms).toUTCString();

it.each([3 * hour, -48 * hour])('a computer whose clock is %d ms ahead uses the server’s time', (aheadMs) => {
  const clock = createClock(() => noon + aheadMs);
  clock.observe(dateOf(noon), noon + aheadMs - 20);
  expect(Math.abs(clock.now() - noon)).toBeLessThan(1_000);
  expect(Math.abs(clock.offsetMs.get() + aheadMs)).toBeLessThan(1_000);
});

it('a correct clock is not adjusted by a slow answer', () => {
  let local = noon;
  const clock = createClock(() => local);
  clock.observe(dateOf(noon), noon);
  local = noon + 14_000;
  clock.observe(dateOf(noon), noon);
  clock.observe(dateOf(noon + 14_000), noon);
  expect(clock.offsetMs.get()).toBe(0);
});

it('a known offset is kept while answers agree with it', () => {
  let local = noon + hour;
  const clock = createClock(() => local);
  clock.observe(dateOf(noon), local);
  const found = clock.offsetMs.get();
  local += 10_400;
  clock.observe(dateOf(noon + 10_400), local);
  expect(clock.offsetMs.get()).toBe(found);
  // The clock was corrected.
  local = noon + 20_000;
  clock.observe(dateOf(local), local);
  expect(Math.abs(clock.offsetMs.get())).toBeLessThan(1_000);
});

it('an answer without a date changes nothing', () => {
  const clock = createClock(() => noon);
  clock.observe(null, noon);
  clock.observe('soon', noon);
  expect(clock.now()).toBe(noon);
});
