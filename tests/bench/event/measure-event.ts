import { createCleanup } from '../cleanup.ts';
import { startLoadProcess } from '../load/child-process.ts';
import { readOpenFileLimit } from '../proc/process-usage.ts';
import { tokenSecret } from '../servers.ts';
import type { CrossMode, CrossResult, EventOrder, JoinResult } from './event-order.ts';
import { type CpuUse, type EventProfile, startEventTarget, watchCpu } from './event-target.ts';

export interface EventOptions {
  viewers: number;
  /** Within which all viewers join. */
  overSeconds: number;
  say: (line: string) => void;
}

export interface EventStart {
  profile: EventProfile;
  join: JoinResult;
  cpu: CpuUse[];
}

export interface Crossing {
  profile: EventProfile;
  mode: CrossMode;
  result: CrossResult;
  cpu: CpuUse[];
}

const crossModes: readonly CrossMode[] = ['ahead', 'together'];
const periods = 2;
/** Files that a process needs beside its viewers: connections to other services and the database, and the log. */
const otherFiles = 500;

/** Viewers join a server that has just started. */
export async function measureEventStart(
  profile: EventProfile,
  { viewers, overSeconds, say }: EventOptions,
): Promise<EventStart> {
  return withEvent(profile, viewers, async (target, order) => {
    say(`${profile}: ${viewers.toLocaleString('en')} viewers join within ${overSeconds} s`);
    const readCpu = watchCpu(target.processes);
    const { url, channel } = target;
    const join = await order<JoinResult>({ kind: 'join', url, viewers, overSeconds, tokenSecret, channel });
    return { profile, join, cpu: readCpu() };
  });
}

/** Viewers of one live channel cross the beginnings of periods, after they have joined. */
export async function measureCrossing(
  profile: EventProfile,
  { viewers, overSeconds, say }: EventOptions,
): Promise<Crossing[]> {
  return withEvent(profile, viewers, async (target, order) => {
    const { url, channel } = target;
    say(`${profile}: ${viewers.toLocaleString('en')} viewers join, which is not measured`);
    await order<JoinResult>({ kind: 'join', url, viewers, overSeconds, tokenSecret, channel });
    const crossings: Crossing[] = [];
    for (const mode of crossModes) {
      say(`${profile}: they cross ${periods} periods of ${channel.periodSeconds} s, ${mode}`);
      const readCpu = watchCpu(target.processes);
      const result = await order<CrossResult>({ kind: 'cross', channel, periods, mode });
      crossings.push({ profile, mode, result, cpu: readCpu() });
    }
    return crossings;
  });
}

type Target = Awaited<ReturnType<typeof startEventTarget>>;

async function withEvent<T>(
  profile: EventProfile,
  viewers: number,
  use: (target: Target, order: <R>(it: EventOrder) => Promise<R>) => Promise<T>,
): Promise<T> {
  if (readOpenFileLimit() < viewers + otherFiles)
    throw new Error(
      `Each viewer is a connection: allow ${viewers + otherFiles} open files or more (\`ulimit -Hn\`), or take fewer viewers.`,
    );
  const cleanup = createCleanup();
  try {
    const target = await startEventTarget(profile, cleanup);
    const load = cleanup.add(startLoadProcess<EventOrder, unknown>('../event/event-process.ts'));
    return await use(target, async <R>(it: EventOrder) => (await load.order(it)) as R);
  } finally {
    await cleanup.run();
  }
}
