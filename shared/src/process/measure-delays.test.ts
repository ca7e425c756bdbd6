import { expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { measureDelays } from './measure-delays.ts';

test('the delay of a change is measured once, also of one that is pulled after a later one was pushed', () => {
  const clock = createManualClock();
  const seconds: number[] = [];
  const { note, forget } = measureDelays(clock, (delay) => void seconds.push(delay));
  const at = clock.now();
  note(2, at);
  clock.advance(900);
  note(1, at);
  note(2, at);
  expect(seconds).toEqual([0, 0.9]);
  forget();
  note(1, at);
  expect(seconds).toEqual([0, 0.9, 0.9]);
});

test('a clock that runs behind the clock of the database gives a delay of 0, and old changes need no memory', () => {
  const clock = createManualClock();
  const seconds: number[] = [];
  const { note } = measureDelays(clock, (delay) => void seconds.push(delay));
  for (let number = 1; number <= 1_001; number++) note(number, clock.now() + 5_000);
  expect(new Set(seconds)).toEqual(new Set([0]));
  note(1, clock.now());
  expect(seconds).toHaveLength(1_002);
});
