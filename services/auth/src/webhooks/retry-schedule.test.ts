import { expect, test } from 'vitest';
import { nextWaitMs } from './retry-schedule.ts';

test('each wait is up to a tenth shorter or longer, so that messages that failed together part', () => {
  const wait = (random: number) => nextWaitMs({ tries: 1, retryAfterSeconds: null }, random);
  expect([wait(0), wait(1)]).toEqual([4_500, 5_500]);
});

test('a receiver that asks for more time by Retry-After gets it, up to an hour', () => {
  const wait = (retryAfterSeconds: number) => nextWaitMs({ tries: 1, retryAfterSeconds }, 0.5);
  expect([wait(1), wait(60), wait(86_400)]).toEqual([5_000, 60_000, 3_600_000]);
});
