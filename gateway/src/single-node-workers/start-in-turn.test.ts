import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startInTurn } from './start-in-turn.ts';

it('no more workers start at the same time than the machine has cores', async () => {
  const waiting: ((value: number) => void)[] = [];
  const started = startInTurn(5, 2, () => new Promise<number>((resolve) => waiting.push(resolve)));
  for (let n = 0; n < 5; n++) {
    await turn();
    expect(waiting).toHaveLength(Math.min(5, n + 2));
    waiting[n]?.(n);
  }
  expect(await started).toEqual([0, 1, 2, 3, 4]);
});

it('no further worker is started after one that failed', async () => {
  let starts = 0;
  const failing = startInTurn(5, 2, async () => {
    if (++starts === 2) throw new Error('no memory');
    await turn();
  });
  await expect(failing).rejects.toThrow('no memory');
  await turn();
  expect(starts).toBe(2);
});
