import { setTimeout as pause } from 'node:timers/promises';
import type { Loader } from '../load/loader.ts';
import { readCpuMs } from '../proc/process-usage.ts';
import type { Subject } from '../servers.ts';

/** CPU time of a set of processes. */
interface CpuCost {
  /** Of all of them together for one request, without what they use when idle. */
  microsPerRequest: number;
  /** What one of them uses when idle, in milliseconds of CPU time a second. */
  idleMsPerSecond: number;
}

export interface Sample<Part extends string> {
  costs: Record<Part, CpuCost>;
  p99Ms: number;
  loaderCpuShare: number;
}

export interface SampleOptions {
  seconds: number;
  ratePerSecond: number;
}

/**
 * Measures CPU time without requests for a while, and then with requests of the connected viewers for as long.
 *
 * @throws Error if a request was not served
 */
export async function takeSample<Part extends string>(
  parts: Record<Part, readonly Subject[]>,
  loader: Loader,
  { seconds, ratePerSecond }: SampleOptions,
): Promise<Sample<Part>> {
  const names = Object.keys(parts) as Part[];
  const meter = () => ({ atMs: performance.now(), cpuMs: names.map((name) => sumCpuMs(parts[name])) });
  const begun = meter();
  await pause(seconds * 1_000);
  const idle = meter();
  const requests = seconds * ratePerSecond;
  const result = await loader.run({ requests, ratePerSecond, apart: true });
  const end = meter();
  const served = (result.statuses['200'] ?? 0) + (result.popularStatuses['200'] ?? 0);
  if (served !== requests) throw new Error(`Not every request was served: ${JSON.stringify(result)}`);

  const costs = names.map((name, n): [Part, CpuCost] => {
    const [atBegin = 0, atIdle = 0, atEnd = 0] = [begun, idle, end].map(({ cpuMs }) => cpuMs[n]);
    const idleShare = (atIdle - atBegin) / (idle.atMs - begun.atMs);
    const usedMs = atEnd - atIdle - idleShare * (end.atMs - idle.atMs);
    const idleMsPerSecond = (idleShare * 1_000) / parts[name].length;
    return [name, { microsPerRequest: (usedMs * 1_000) / requests, idleMsPerSecond }];
  });
  return {
    costs: Object.fromEntries(costs) as Record<Part, CpuCost>,
    p99Ms: result.latency.p99,
    loaderCpuShare: result.ownCpuShare,
  };
}

function sumCpuMs(processes: readonly Subject[]): number {
  return processes.reduce((sum, { pid }) => sum + readCpuMs(pid), 0);
}
