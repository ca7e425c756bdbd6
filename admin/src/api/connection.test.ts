import { expect, it, vi } from 'vitest';
import { createConnection } from './connection.ts';

it('probing stops when another request succeeds', async () => {
  const waiting: (() => void)[] = [];
  const ping = vi.fn(async () => {});
  const onBack = vi.fn();
  const connection = createConnection({ ping, onBack, after: (_ms, act) => waiting.push(act) });
  connection.report(false);
  connection.report(true);
  waiting.shift()?.();
  await Promise.resolve();
  expect([ping.mock.calls.length, onBack.mock.calls.length, waiting.length]).toEqual([0, 1, 0]);
});
