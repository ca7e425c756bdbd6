import { expect, it, onTestFinished, vi } from 'vitest';
import { createConnection } from './connection.ts';

it('probing stops when another request succeeds', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const ping = vi.fn(async () => {});
  const onBack = vi.fn();
  const connection = createConnection({ ping, onBack });
  connection.report(false);
  connection.report(true);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([ping.mock.calls.length, onBack.mock.calls.length]).toEqual([0, 1]);
});
