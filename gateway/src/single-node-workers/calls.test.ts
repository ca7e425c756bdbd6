import { stopTime } from '@latchkey/shared/testing/stop-time';
import { expect, it } from 'vitest';
import { type Calls, createCalls, type Message } from './calls.ts';

/** Two sides whose messages cross as JSON, as those of processes do. */
function connect(handlers: Parameters<typeof createCalls>[1]): Calls {
  const cross = (to: () => Calls) => (message: Message) => {
    const text = JSON.stringify(message);
    queueMicrotask(() => void to().receive(JSON.parse(text)));
  };
  const near: Calls = createCalls(
    cross(() => far),
    {},
  );
  const far: Calls = createCalls(
    cross(() => near),
    handlers,
  );
  return near;
}

it('a call gets the answer to its own argument, however the answers come', async () => {
  const near = connect({ half: async (n: number) => n / 2 });
  expect(await Promise.all([8, 6].map((n) => near.call('half', n, 1_000)))).toEqual([4, 3]);
});

it('a call fails where the other side fails or does not know it', async () => {
  const near = connect({
    fail() {
      throw new Error('no');
    },
  });
  await expect(near.call('fail', null, 1_000)).rejects.toThrow('no');
  await expect(near.call('toString', null, 1_000)).rejects.toThrow();
});

it('a call fails at its limit, and a late answer is ignored', async () => {
  const time = stopTime();
  const sent: Message[] = [];
  const calls = createCalls((message) => sent.push(message), {});
  const called = calls.call('x', null, 1_000);
  time.advance(1_000);
  await expect(called).rejects.toThrow('no answer within 1000 ms');
  expect(calls.receive({ type: 'answer', id: sent[0]?.id, value: 1 })).toBe(true);
});

it('open calls fail when the other side is gone', async () => {
  const calls = createCalls(() => {}, {});
  const called = calls.call('x', null, 1_000);
  calls.end();
  await expect(called).rejects.toThrow('gone');
});
