import { expect, it, vi } from 'vitest';
import { createConnection } from './connection.ts';

function stage() {
  const waiting: (() => void)[] = [];
  const ping = vi.fn(() => Promise.reject(new Error('gone')) as Promise<unknown>);
  const onBack = vi.fn();
  const connection = createConnection({ ping, onBack, after: (_ms, act) => waiting.push(act) });
  const pass = async () => {
    waiting.shift()?.();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { connection, ping, onBack, pass, waiting };
}

it('a lost server is probed until it answers, and its return is reported once', async () => {
  const { connection, ping, onBack, pass } = stage();
  connection.report(false);
  connection.report(false);
  expect(connection.state.get()).toBe('lost');
  await pass();
  await pass();
  expect(ping).toHaveBeenCalledTimes(2);
  ping.mockResolvedValueOnce({});
  await pass();
  expect([connection.state.get(), onBack.mock.calls.length]).toEqual(['there', 1]);
});

it('probing stops when another request succeeds', async () => {
  const { connection, ping, onBack, pass, waiting } = stage();
  connection.report(false);
  connection.report(true);
  await pass();
  expect([ping.mock.calls.length, onBack.mock.calls.length, waiting.length]).toEqual([0, 1, 0]);
});
