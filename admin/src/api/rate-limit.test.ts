import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRateLimit, waitSecondsOf } from './rate-limit.ts';

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
