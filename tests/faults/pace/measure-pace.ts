import type { Checks } from '../checks.ts';
import type { Stack, StackOptions } from '../stack/stack.ts';
import { loseRedis, lossColumns } from './lose-redis.ts';
import { measureSweeps, sweepColumns } from './measure-sweeps.ts';
import { asSwept, startSingleNode, withoutRedis } from './swept-server.ts';

/** Starts a stack for this work alone. */
type OnStack = <T>(options: StackOptions, work: (stack: Stack) => Promise<T>) => Promise<T>;

/** Sweeps the epochs of films on each profile, and loses Redis meanwhile. Returns two tables. */
export async function measurePace(
  onStack: OnStack,
  replicas: StackOptions['replicas'],
  checks: Checks,
  isFull: boolean,
): Promise<string> {
  const rows = [sweepColumns];
  const single = await startSingleNode();
  try {
    rows.push(...(await measureSweeps(single, checks, isFull)));
  } finally {
    await single.stop();
  }
  const losses = [lossColumns];
  await onStack({ replicas, isBreakable: false }, async (stack) => {
    rows.push(...(await measureSweeps(asSwept(stack, true), checks, isFull)));
    losses.push(...(await loseRedis(stack, checks)));
  });
  await onStack({ replicas, isBreakable: false, moreEnv: withoutRedis }, async (stack) => {
    rows.push(...(await measureSweeps(asSwept(stack, false), checks, isFull)));
  });
  return `${rows.join('\n')}\n\n${losses.join('\n')}`;
}
