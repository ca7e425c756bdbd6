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

/** What one server did under one load. */
export interface OverloadSample {
  name: string;
  /** `OVERLOAD_DELAY_MS` */
  setting: 'off' | 'on';
  /** The rate, to what the server can serve. */
  factor: number;
  ratePerSecond: number;
  phase: PhaseResult;
  /** The phase after it, at half of what the server can serve. */
  afterwards: PhaseResult;
}

/** Three times the connections, each of which waits for its answer. */
interface ClosedSample {
  name: string;
  setting: 'off' | 'on';
  connections: number;
  result: ClosedLoopResult;
}

export interface OverloadFound {
  open: OverloadSample[];
  closed: ClosedSample[];
}

/** Enough that a request finds a free one while 80,000 a second wait 50 ms each. */
const openConnections = 4_000;
/** A viewer's patience, short enough that what is left of one load does not reach far into the next. */
const patienceMs = 1_000;
/** The compiler has seen every path after some ten thousand requests. */
const warmSeconds = 2;
const capacitySeconds = 1.5;
/** The best one counts: a pause in another one is not what the server can serve. */
const capacitySlices = 3;
const closedSeconds = 1.5;
const more = 3;
/** An overload is noticed within three seconds, and its first queue is worked off within another two. The rest counts. */
const settleSeconds = 5;
const half = (seconds: number) => ({ factor: 0.5, seconds, settleSeconds: 0.5 });

interface Loads {
  closed: LoadProcess<ClosedLoopOrder, ClosedLoopResult>;
  open: LoadProcess<OpenLoopOrder, OpenLoopResult>;
}

/** Each server without a limit and with one, at rates below and above what it can serve. */
export async function measureOverload(options: OverloadOptions): Promise<OverloadFound> {
  const { only, say } = options;
  const cleanup = createCleanup();
  try {
    const plan = await settleOnCores(cleanup, say);
    const loads: Loads = {
      closed: cleanup.add(startLoadProcess<ClosedLoopOrder, ClosedLoopResult>('closed-loop-process.ts')),
      open: cleanup.add(startLoadProcess<OpenLoopOrder, OpenLoopResult>('open-loop-process.ts')),
    };
    if (plan) for (const { pid } of Object.values(loads)) pin(pid, plan.load);
    const found: OverloadFound = { open: [], closed: [] };
    for (const { name, off, on } of await startOverloadSubjects(cleanup, only)) {
      let capacity: number | null = null;
      for (const [setting, subject] of [
        ['off', off],
        ['on', on],
      ] as const) {
        const pids = [subject.pid, ...(subject.upstreamPid === undefined ? [] : [subject.upstreamPid])];
        if (plan) for (const [n, pid] of pids.entries()) pin(pid, n === 0 ? plan.server : plan.upstream);
        const one = await measureServer({ name, setting, subject, capacity }, plan, loads, options);
        capacity = one.capacity;
        found.open.push(...one.open);
        found.closed.push(one.closed);
        if (plan) for (const pid of pids) pin(pid, plan.others);
      }
    }
    return found;
  } finally {
    await cleanup.run();
  }
}

interface Measured {
  name: string;
  setting: 'off' | 'on';
  subject: KeySubject;
  /** Requests a second that it can serve; null: to be found. */
  capacity: number | null;
}

async function measureServer(
  { name, setting, subject, capacity: known }: Measured,
  plan: CorePlan | null,
  { closed, open }: Loads,
  { seconds, connections, say }: OverloadOptions,
): Promise<{ capacity: number; open: OverloadSample[]; closed: ClosedSample }> {
  const { port, source, upstreamPid } = subject;
  // A load generator that never sleeps would take the core away from a process beside it.
  const neverSleeps = plan !== null && (upstreamPid === undefined || plan.upstream[0] !== plan.load[0]);
  const order = { port, source, connections, neverSleeps };
  await closed.order({ ...order, seconds: warmSeconds });
  let best = 0;
  for (let slice = 0; slice < capacitySlices; slice++) {
    const served = await closed.order({ ...order, seconds: capacitySeconds / capacitySlices });
    best = Math.max(best, served.requests / served.seconds);
  }
  const capacity = known ?? best;
  say(`${name}, ${setting}: ${Math.round(best).toLocaleString('en')} requests/s`);
  const crowd = more * connections;
  const result = await closed.order({ ...order, connections: crowd, seconds: closedSeconds });
  say(`${name}, ${setting}, ${crowd} connections: ${JSON.stringify(result.statuses)}`);
  const plans = [
    half(1.5),
    { factor: 1, seconds: seconds + 1, settleSeconds: 1 },
    half(1),
    { factor: 1.5, seconds: seconds + settleSeconds, settleSeconds },
    half(1.5),
    { factor: more, seconds: seconds + settleSeconds, settleSeconds },
    half(1.5),
  ];
  const phases = plans.map(({ factor, ...phase }) => ({ ...phase, ratePerSecond: factor * capacity }));
  const { phases: results } = await open.order({
    ...order,
    connections: openConnections,
    patienceMs,
    phases,
  });
  const samples = plans.flatMap(({ factor }, n): OverloadSample[] => {
    // Of the three at half of the rate, the first is the one to compare with.
    if (factor < 1 && n > 0) return [];
    const [phase, afterwards = phase] = results.slice(n, n + 2) as [PhaseResult, PhaseResult];
    return [{ name, setting, factor, ratePerSecond: factor * capacity, phase, afterwards }];
  });
  for (const sample of samples) say(describe(sample));
  return { capacity, open: samples, closed: { name, setting, connections: crowd, result } };
}

function describe({ name, setting, factor, phase, afterwards }: OverloadSample): string {
  const answers = Object.entries(phase.byStatus).map(
    ([status, { count, inTime, p50Ms, p99Ms }]) =>
      `${status}: ${Math.round(count / phase.seconds).toLocaleString('en')}/s (${Math.round(inTime / phase.seconds).toLocaleString('en')}/s within 50 ms), p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
  );
  return `${name}, ${setting}, ${factor} x: ${answers.join('; ')}; afterwards refused until ${afterwards.lastRefusedMs?.toFixed(0) ?? 'never'}, late until ${afterwards.lastLateMs?.toFixed(0) ?? 'never'}`;
}
