import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError, UnreachableError } from './api-error.ts';
import { createRateLimit, retryDelayMs, shouldRetry, waitSecondsOf } from './rate-limit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('reading pauses for the Retry-After of the server, and a later shorter one does not end the pause early', () => {
  const limit = createRateLimit();
  limit.pause(20);
  limit.pause(5);
  vi.advanceTimersByTime(19_000);
  expect([limit.secondsLeft(), limit.pausedUntilMs.get()]).toEqual([1, Date.now() + 1_000]);
  vi.advanceTimersByTime(1_000);
  expect([limit.secondsLeft(), limit.pausedUntilMs.get()]).toEqual([0, null]);
});

it('reading pauses for 10 seconds without Retry-After, and for an hour at most', () => {
  const limit = createRateLimit();
  limit.pause(null);
  expect(limit.secondsLeft()).toBe(10);
  expect([0, 1e12].map(waitSecondsOf)).toEqual([1, 3_600]);
});

const answered = (status: number, retryAfterSeconds: number | null) =>
  new ApiError(status, {}, retryAfterSeconds);

it('a read that got 429 is retried after Retry-After, any number of times', () => {
  expect([shouldRetry(9, answered(429, 23)), retryDelayMs(9, answered(429, 23))]).toEqual([true, 23_000]);
  expect(retryDelayMs(0, answered(429, 0))).toBe(1_000);
});

it('a 503 is retried twice, not before its Retry-After, and not if that is much later', () => {
  expect([0, 1, 2].map((failed) => shouldRetry(failed, answered(503, 2)))).toEqual([true, true, false]);
  expect(retryDelayMs(0, answered(503, 2))).toBe(2_000);
  expect(shouldRetry(0, answered(503, 30))).toBe(false);
});

it('other answers are not retried, and a lost connection is not retried here', () => {
  for (const error of [answered(404, null), answered(500, null), new UnreachableError()])
    expect(shouldRetry(0, error)).toBe(false);
});
