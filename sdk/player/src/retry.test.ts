import { expect, it, vi } from 'vitest';
import { networkError, PlayerError } from './player-error.ts';
import { retry } from './retry.ts';
import { createManualClock } from './testing/manual-clock.ts';

const options = { firstDelayMs: 1_000, maxDelayMs: 4_000, maxRetryAfterMs: 30_000, random: () => 0 };

it('a transient failure is retried after a delay that doubles up to the longest', async () => {
  const clock = createManualClock();
  const attempt = vi.fn(async () => {
    throw networkError('away');
  });
  const delays: number[] = [];
  const onRetry = (_: PlayerError, _attempt: number, delayMs: number) => delays.push(delayMs);
  retry(attempt, { ...options, clock, onRetry }).catch(() => {});
  await clock.advance(11_000);
  expect(delays).toEqual([1_000, 2_000, 4_000, 4_000, 4_000]);
  expect(attempt).toHaveBeenCalledTimes(5);
});

it('a retry waits up to half as long again, so that players do not return in step', async () => {
  const delays: number[] = [];
  const clock = createManualClock();
  const onRetry = (_: PlayerError, _attempt: number, delayMs: number) => delays.push(delayMs);
  const away = () => Promise.reject(networkError('away'));
  retry(away, { ...options, clock, onRetry, random: () => 0.999 }).catch(() => {});
  await clock.advance(1);
  expect(delays[0]).toBeCloseTo(1_500, -1);
});

it('a refusal is not retried, nor a failure that was given up or aborted', async () => {
  const clock = createManualClock();
  const refused = new PlayerError('CONTENT_NOT_FOUND', 'no');
  await expect(retry(() => Promise.reject(refused), { ...options, clock })).rejects.toBe(refused);
  const away = networkError('away');
  const given = retry(() => Promise.reject(away), { ...options, clock, givesUp: () => true });
  await expect(given).rejects.toBe(away);
  const controller = new AbortController();
  const left = retry(() => Promise.reject(away), { ...options, clock, signal: controller.signal });
  await clock.advance(10);
  controller.abort(refused);
  await expect(left).rejects.toBe(refused);
});
