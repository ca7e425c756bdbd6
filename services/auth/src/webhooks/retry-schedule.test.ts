import { expect, test } from 'vitest';
import { nextWaitMs } from './retry-schedule.ts';

const waits = (random: number) =>
  Array.from({ length: 9 }, (_, n) => nextWaitMs({ tries: n + 1, retryAfterSeconds: null }, random));

test('a message is tried nine times, with waits that grow from 5 s to 12 h', () => {
  const seconds = [5, 30, 120, 600, 3_600, 10_800, 21_600, 43_200];
  expect(waits(0.5)).toEqual([...seconds.map((each) => each * 1_000), null]);
});

test('each wait is up to a tenth shorter or longer, so that messages that failed together part', () => {
  expect([waits(0)[0], waits(1)[0]]).toEqual([4_500, 5_500]);
});

test('a receiver that asks for more time by Retry-After gets it, up to an hour', () => {
  const wait = (retryAfterSeconds: number) => nextWaitMs({ tries: 1, retryAfterSeconds }, 0.5);
  expect([wait(1), wait(60), wait(86_400)]).toEqual([5_000, 60_000, 3_600_000]);
});
