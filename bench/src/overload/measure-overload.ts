import { createCleanup } from '../cleanup.ts';
import type { KeySubject } from '../keys/key-subject.ts';
import { settleOnCores } from '../keys/measure-keys.ts';
import { type LoadProcess, startLoadProcess } from '../load/child-process.ts';
import type { ClosedLoopOrder, ClosedLoopResult } from '../load/closed-loop.ts';
import type { OpenLoopOrder, OpenLoopResult, PhaseResult } from '../load/open-loop.ts';
import { type CorePlan, pin } from '../proc/cores.ts';
import { startOverloadSubjects } from './subjects.ts';

export interface OverloadOptions {
  /** How long each rate is measured. */
  seconds: number;
  /** Connections of the closed loop that finds the rate which the server can serve. */
  connections: number;
  /** A part of the name of what is measured. Empty: all. */
  only: string;
  say: (line: string) => void;
}

/** What one server did at one rate. */
export interface OverloadSample {
  name: string;
  /** The rate, to what the server can serve. */
  factor: number;
  ratePerSecond: number;
  phase: PhaseResult;
  /** The phase after it, at half of what the server can serve. */
  afterwards: PhaseResult;
  loadCpuShare: number;
}

const factors = [0.5, 1, 2, 3];
/** Enough that a request finds a free one while 80,000 a second wait 50 ms each. */
const openConnections = 4_000;
/** The compiler has seen every path after some ten thousand requests. */
const warmSeconds = 4;
const capacitySeconds = 3;
/** Before the overload, so that it meets a server at work. */
const before = { seconds: 1, settleSeconds: 0 };
/** An overload is noticed within a second, and its first queue is worked off within another one or two. The rest counts. */
const settleSeconds = 3;
const afterSeconds = 2;

interface Loads {
  closed: LoadProcess<ClosedLoopOrder, ClosedLoopResult>;
  open: LoadProcess<OpenLoopOrder, OpenLoopResult>;
}

/** Rates below and above what each server can serve, each followed by half of it. */
export async function measureOverload(options: OverloadOptions): Promise<OverloadSample[]> {
  const { only, say } = options;
  const cleanup = createCleanup();
  try {
    const plan = await settleOnCores(cleanup, say);
    const loads: Loads = {
      closed: cleanup.add(startLoadProcess<ClosedLoopOrder, ClosedLoopResult>('closed-loop-process.ts')),
      open: cleanup.add(startLoadProcess<OpenLoopOrder, OpenLoopResult>('open-loop-process.ts')),
    };
    if (plan) for (const { pid } of Object.values(loads)) pin(pid, plan.load);
    const samples: OverloadSample[] = [];
    for (const subject of await startOverloadSubjects(cleanup)) {
      if (!subject.name.includes(only)) continue;
      if (plan) pin(subject.pid, plan.server);
      if (plan && subject.upstreamPid) pin(subject.upstreamPid, plan.upstream);
      samples.push(...(await measureSubject(subject, plan, loads, options)));
      if (plan) for (const pid of [subject.pid, subject.upstreamPid ?? subject.pid]) pin(pid, plan.others);
    }
    return samples;
  } finally {
    await cleanup.run();
  }
}

async function measureSubject(
  { name, port, source }: KeySubject,
  plan: CorePlan | null,
  { closed, open }: Loads,
  { seconds, connections, say }: OverloadOptions,
): Promise<OverloadSample[]> {
  const order = { port, source, connections, neverSleeps: plan !== null };
  await closed.order({ ...order, seconds: warmSeconds });
  const found = await closed.order({ ...order, seconds: capacitySeconds });
  const capacity = found.requests / found.seconds;
  say(`${name}: ${Math.round(capacity).toLocaleString('en')} requests/s`);
  const half = capacity / 2;
  const samples: OverloadSample[] = [];
  for (const factor of factors) {
    const ratePerSecond = capacity * factor;
    const phases = [
      { ratePerSecond: half, ...before },
      { ratePerSecond, seconds: seconds + settleSeconds, settleSeconds },
      { ratePerSecond: half, seconds: afterSeconds, settleSeconds: 1 },
    ];
    const result = await open.order({ ...order, connections: openConnections, phases });
    const [, phase, afterwards] = result.phases as [PhaseResult, PhaseResult, PhaseResult];
    const sample = { name, factor, ratePerSecond, phase, afterwards, loadCpuShare: result.ownCpuShare };
    say(describe(sample));
    samples.push(sample);
  }
  return samples;
}

function describe({ name, factor, phase, afterwards }: OverloadSample): string {
  const answers = Object.entries(phase.byStatus).map(
    ([status, { count, p50Ms, p99Ms }]) =>
      `${status}: ${Math.round(count / phase.seconds).toLocaleString('en')}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
  );
  return `${name}, ${factor} x: ${answers.join('; ')}; afterwards refused until ${afterwards.lastRefusedMs?.toFixed(0) ?? 'never'}, late until ${afterwards.lastLateMs?.toFixed(0) ?? 'never'}`;
}
