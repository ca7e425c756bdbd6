import { expect, it, vi } from 'vitest';
import { networkError, PlayerError } from './player-error.ts';
import { retry } from './retry.ts';
import { createManualClock } from './testing/manual-clock.ts';

const options = { firstDelayMs: 1_000, maxDelayMs: 4_000, maxRetryAfterMs: 30_000, random: () => 0 };

it('a failure that may pass is tried again, after twice the time up to the longest', async () => {
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

it('players do not come in step: the wait is up to half as long again', async () => {
  const delays: number[] = [];
  const clock = createManualClock();
  const onRetry = (_: PlayerError, _attempt: number, delayMs: number) => delays.push(delayMs);
  const away = () => Promise.reject(networkError('away'));
  retry(away, { ...options, clock, onRetry, random: () => 0.999 }).catch(() => {});
  await clock.advance(1);
  expect(delays[0]).toBeCloseTo(1_500, -1);
});

it('waits as long as the server asks for, within reason', async () => {
  const clock = createManualClock();
  for (const [retryAfterMs, expected] of [
    [7_000, 7_000],
    [1e9, 30_000],
  ] as const) {
    const delays: number[] = [];
    const busy = () => Promise.reject(networkError('busy', { retryAfterMs }));
    const onRetry = (_: PlayerError, _attempt: number, delayMs: number) => delays.push(delayMs);
    retry(busy, { ...options, clock, onRetry }).catch(() => {});
    await clock.advance(1);
    expect(delays).toEqual([expected]);
  }
});

it('a refusal is final, and so is what was given up or aborted', async () => {
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

it('a wait that is longer than anybody wants to wait ends when the patience does', async () => {
  const clock = createManualClock();
  const beganMs = clock.now();
  const busy = vi.fn(() => Promise.reject(networkError('busy', { retryAfterMs: 3_600_000 })));
  const givesUp = () => clock.now() - beganMs >= 5_000;
  const given = retry(busy, { ...options, clock, maxRetryAfterMs: 60_000, givesUp });
  let endedMs: number | undefined;
  given.catch(() => {
    endedMs = clock.now() - beganMs;
  });
  await clock.advance(100_000);
  expect(endedMs).toBeGreaterThanOrEqual(5_000);
  expect(endedMs).toBeLessThanOrEqual(5_500);
  expect(busy).toHaveBeenCalledTimes(1);
});
