import { expect, it } from 'vitest';
import { ApiError, UnreachableError } from './api-error.ts';
import { askAgainAfterMs, isAskedAgain } from './retry-reads.ts';

const answered = (status: number, retryAfterSeconds: number | null) =>
  new ApiError(status, {}, retryAfterSeconds);

it('a read that was refused with 429 is asked again when the server said, however often', () => {
  expect([isAskedAgain(9, answered(429, 23)), askAgainAfterMs(9, answered(429, 23))]).toEqual([true, 23_000]);
  expect(askAgainAfterMs(0, answered(429, 0))).toBe(1_000);
});

it('a 503 is asked again twice, not sooner than it says, and not where it says much later', () => {
  expect([0, 1, 2].map((failed) => isAskedAgain(failed, answered(503, 2)))).toEqual([true, true, false]);
  expect(askAgainAfterMs(0, answered(503, 2))).toBe(2_000);
  expect(isAskedAgain(0, answered(503, 30))).toBe(false);
});

it('other answers are final, and a server that is gone is another’s business', () => {
  for (const error of [answered(404, null), answered(500, null), new UnreachableError()])
    expect(isAskedAgain(0, error)).toBe(false);
});
