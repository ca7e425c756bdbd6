import { spawnSync } from 'node:child_process';
import type { Cleanup } from '../cleanup.ts';
import { inTurn } from '../in-turn.ts';
import { type LoadProcess, startLoadProcess } from '../load/child-process.ts';
import type { ClosedLoopOrder, ClosedLoopResult } from '../load/closed-loop.ts';
import { type CorePlan, pin, readCorePlan } from '../proc/cores.ts';
import { type CpuTimes, readCpuTimes } from '../proc/process-usage.ts';
import { keepAwake } from '../scale/keep-awake.ts';
import type { KeySubject } from './key-subject.ts';

export interface KeyMeasureOptions {
  rounds: number;
  seconds: number;
  connections: number;
  say: (line: string) => void;
}

/** What one subject did in one round. */
export interface KeySample extends Pick<ClosedLoopResult, 'requests' | 'seconds' | 'p50Ms' | 'p99Ms'> {
  name: string;
  /** CPU time of the whole process for one request. */
  userMicros: number;
  systemMicros: number;
  loadCpuShare: number;
}

/** The compiler has seen every path after some ten thousand requests. */
const warmSeconds = 4;
/** Before each measurement: connections, and caches of the processor that the subject before has filled. */
const leadInSeconds = 0.5;

type Load = LoadProcess<ClosedLoopOrder, ClosedLoopResult>;

/** Cores for the bench itself and all that it starts; each subject moves to the server's core for its turn. */
export async function settleOnCores(cleanup: Cleanup, say: (line: string) => void): Promise<CorePlan | null> {
  const plan = readCorePlan();
  if (!plan) {
    say(
      'Servers and load share the cores: there is one core, or no taskset. Compare nothing with other machines.',
    );
    return null;
  }
  pin(process.pid, plan.others);
  // The server's core and that of the load are busy during a measurement. The others would fall asleep between requests.
  if (spawnSync('chrt', ['--version']).status === 0) cleanup.add(await keepAwake());
  else say('There is no chrt: cores of the load may fall asleep, and waking them adds latency.');
  return plan;
}

/** Measures the subjects in turn, each alone on the server's core. */
export async function measureKeys(
  subjects: readonly KeySubject[],
  plan: CorePlan | null,
  cleanup: Cleanup,
  { rounds, seconds, connections, say }: KeyMeasureOptions,
): Promise<KeySample[]> {
  const load: Load = cleanup.add(
    startLoadProcess<ClosedLoopOrder, ClosedLoopResult>('closed-loop-process.ts'),
  );
  if (plan) pin(load.pid, plan.load);
  const samples: KeySample[] = [];
  for (const subject of subjects) {
    say(`warming ${subject.name}`);
    await onItsCores(subject, plan, () => runOn(subject, plan, load, { seconds: warmSeconds, connections }));
  }
  for (let round = 0; round < rounds; round++) {
    for (const subject of inTurn(subjects, round)) {
      const sample = await onItsCores(subject, plan, async () => {
        await runOn(subject, plan, load, { seconds: leadInSeconds, connections });
        return measureOnce(subject, plan, load, { seconds, connections });
      });
      say(`round ${round + 1} of ${rounds}: ${describe(sample)}`);
      samples.push(sample);
    }
  }
  return samples;
}

async function onItsCores<T>(
  { pid, upstreamPid }: KeySubject,
  plan: CorePlan | null,
  act: () => Promise<T>,
): Promise<T> {
  if (!plan) return act();
  pin(pid, plan.server);
  if (upstreamPid !== undefined) pin(upstreamPid, plan.upstream);
  try {
    return await act();
  } finally {
    for (const moved of [pid, ...(upstreamPid === undefined ? [] : [upstreamPid])]) pin(moved, plan.others);
  }
}

async function runOn(
  { name, port, source, upstreamPid }: KeySubject,
  plan: CorePlan | null,
  load: Load,
  amount: Pick<ClosedLoopOrder, 'seconds' | 'connections'>,
): Promise<ClosedLoopResult> {
  // A load generator that never sleeps would take the core away from a process beside it.
  const neverSleeps = plan !== null && (upstreamPid === undefined || plan.upstream[0] !== plan.load[0]);
  const result = await load.order({ port, source, neverSleeps, ...amount });
  const served = result.statuses['200'] ?? 0;
  if (served !== result.requests)
    throw new Error(`${name} did not serve every request: ${JSON.stringify(result.statuses)}`);
  return result;
}

async function measureOnce(
  subject: KeySubject,
  plan: CorePlan | null,
  load: Load,
  amount: Pick<ClosedLoopOrder, 'seconds' | 'connections'>,
): Promise<KeySample> {
  const before = readCpuTimes(subject.pid);
  const result = await runOn(subject, plan, load, amount);
  const after = readCpuTimes(subject.pid);
  const perRequest = (which: keyof CpuTimes) => ((after[which] - before[which]) * 1_000) / result.requests;
  const { requests, seconds: lasted, p50Ms, p99Ms, ownCpuShare } = result;
  return {
    name: subject.name,
    requests,
    seconds: lasted,
    p50Ms,
    p99Ms,
    userMicros: perRequest('userMs'),
    systemMicros: perRequest('systemMs'),
    loadCpuShare: ownCpuShare,
  };
}

function describe({
  name,
  requests,
  seconds,
  p99Ms,
  userMicros,
  systemMicros,
  loadCpuShare,
}: KeySample): string {
  const cpu = `${userMicros.toFixed(1)} + ${systemMicros.toFixed(1)} µs`;
  const rate = `${Math.round(requests / seconds).toLocaleString('en')} requests/s`;
  return `${name}: ${cpu}, ${rate}, p99 ${p99Ms.toFixed(1)} ms, load ${(loadCpuShare * 100).toFixed(0)} % of a core`;
}
