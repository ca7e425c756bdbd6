import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError, UnreachableError } from './api-error.ts';
import { askAgainAfterMs, createRateLimit, isAskedAgain, waitSecondsOf } from './rate-limit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('knows from the headers of any answer whether the server counts', () => {
  const limit = createRateLimit();
  limit.hear(new Headers());
  expect(limit.isCounting.get()).toBe(false);
  limit.hear(new Headers({ 'ratelimit-policy': '"api";q=30;w=60' }));
  expect(limit.isCounting.get()).toBe(true);
});

it('pauses for as long as the server says, and no shorter where a later refusal names less', () => {
  const limit = createRateLimit();
  limit.pause(20);
  limit.pause(5);
  vi.advanceTimersByTime(19_000);
  expect([limit.secondsLeft(), limit.pausedUntilMs.get()]).toEqual([1, Date.now() + 1_000]);
  vi.advanceTimersByTime(1_000);
  expect([limit.secondsLeft(), limit.pausedUntilMs.get()]).toEqual([0, null]);
});

it('pauses for a while where the server does not say how long, and for an hour at most', () => {
  const limit = createRateLimit();
  limit.pause(null);
  expect(limit.secondsLeft()).toBe(10);
  expect([0, 1e12].map(waitSecondsOf)).toEqual([1, 3_600]);
});

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
