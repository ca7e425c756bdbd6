import { expect, it } from 'vitest';
import { createFetchLimiter } from './fetch-limiter.ts';

const never = new AbortController().signal;
const limits = { ofOrigin: 2, inAll: 3, inLine: 2 };
/** Lets everything that can happen happen. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('a silent origin takes no turn that another origin needs, and its own requests wait in order', async () => {
  const turns = createFetchLimiter(limits);
  const order: string[] = [];
  const first = await turns.take('a', never);
  await turns.take('a', never);
  void turns.take('a', never).then(() => order.push('third of a'));
  const ofB = await turns.take('b', never);
  await settle();
  expect(order).toEqual([]);
  first();
  await settle();
  expect(order).toEqual(['third of a']);
  // An end that is told twice frees one turn.
  first();
  void turns.take('c', never).then(() => order.push('c'));
  await settle();
  expect(order).toEqual(['third of a']);
  ofB();
  await settle();
  expect(order).toEqual(['third of a', 'c']);
});

it('a fetch whose time ends in the line leaves it, and the next one gets the turn', async () => {
  const turns = createFetchLimiter(limits);
  const end = await turns.take('a', never);
  await turns.take('a', never);
  const aborted = new AbortController();
  const given = turns.take('a', aborted.signal);
  let isServed = false;
  void turns.take('a', never).then(() => {
    isServed = true;
  });
  aborted.abort(new Error('too late'));
  await expect(given).rejects.toThrow('too late');
  end();
  await settle();
  expect(isServed).toBe(true);
});

it('a line that is full refuses at once', async () => {
  const turns = createFetchLimiter(limits);
  for (let n = 0; n < 4; n++) void turns.take('a', never);
  await expect(turns.take('a', never)).rejects.toThrow('too many');
});
