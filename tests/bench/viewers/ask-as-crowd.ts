import type { Loader } from '../load/loader.ts';
import type { RunResult } from '../load/order.ts';
import type { Population } from '../population.ts';
import { type Memory, readMemory } from '../proc/process-usage.ts';
import { tokenSecret } from '../servers.ts';
import type { Target } from './target.ts';

/**
 * The figures of one crowd. First each viewer asks for a key, while no replica has its state. Then, not counted, the viewers
 * ask until every replica has all states. Then comes the steady load.
 */
export interface CrowdResult {
  viewers: number;
  /** From the first connection to the last. */
  connectSeconds: number;
  first: RunResult;
  steady: RunResult;
  /** Memory of each process afterwards, in the target's order. */
  memory: Memory[];
}

export interface CrowdOptions {
  population: Population;
  ratePerSecond: number;
  seconds: number;
}

/** Connects the viewers, in place of earlier ones, and lets them ask. They stay connected. */
export async function askAsCrowd(
  viewers: number,
  target: Target,
  loader: Loader,
  { population, ratePerSecond, seconds }: CrowdOptions,
): Promise<CrowdResult> {
  const startedAtMs = performance.now();
  await loader.open({ urls: [target.url], viewers, population, namesLease: true, tokenSecret });
  const connectSeconds = (performance.now() - startedAtMs) / 1_000;
  const first = await loader.run({ requests: viewers, ratePerSecond });
  // Replicas take turns, so each further pass brings a viewer to another one.
  const further = viewers * (target.replicas - 1);
  if (further > 0) await loader.run({ requests: further, ratePerSecond });
  const steady = await loader.run({ requests: seconds * ratePerSecond, ratePerSecond });
  const memory = target.processes.map(({ pid }) => readMemory(pid));
  return { viewers, connectSeconds, first, steady, memory };
}
