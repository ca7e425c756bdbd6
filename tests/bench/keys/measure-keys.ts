import { type Load, type LoadResult, runLoad } from '../load.ts';
import { type CorePlan, pin } from '../proc/cores.ts';
import { readCpuTimes } from '../proc/process-usage.ts';
import type { Run } from '../run.ts';
import type { Subject } from '../servers.ts';

/** A server whose answers to key requests are measured, with the requests that it gets. */
export interface KeySubject {
  server: Subject;
  requestsOf: Load['requestsOf'];
  /** The process that it forwards to. It gets a core of its own, and its time does not count. */
  upstreamPid?: number;
}

/** The result of one subject in one round. */
export interface KeySample extends LoadResult {
  name: string;
  /** CPU time of the whole process for one request. */
  userMicros: number;
  systemMicros: number;
}

export const connections = 64;
/** The compiler has seen every path after some ten thousand requests. */
const warmSeconds = 2;
/** Before each measurement: connections, and caches of the processor that the subject before has filled. */
const leadInSeconds = 0.5;

/** Measures the subjects in turn, each alone on the server's core. This process is the load. */
export async function measureKeys(
  subjects: readonly KeySubject[],
  plan: CorePlan | null,
  { rounds, seconds, say }: Run,
): Promise<KeySample[]> {
  if (plan) pin(process.pid, plan.load);
  const samples: KeySample[] = [];
  for (const subject of subjects) {
    say(`warming ${subject.server.name}`);
    await onItsCores(subject, plan, () => load(subject, plan, warmSeconds));
  }
  for (let round = 0; round < rounds; round++) {
    // Every other round goes back, so that a machine that slows down over time slows the first and the last alike.
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const sample = await onItsCores(subject, plan, async () => {
        await load(subject, plan, leadInSeconds);
        return measureOnce(subject, plan, seconds);
      });
      say(`round ${round + 1} of ${rounds}: ${describe(sample)}`);
      samples.push(sample);
    }
  }
  return samples;
}

async function onItsCores<T>(
  { server, upstreamPid }: KeySubject,
  plan: CorePlan | null,
  act: () => Promise<T>,
): Promise<T> {
  if (!plan) return act();
  pin(server.pid, plan.server);
  if (upstreamPid !== undefined) pin(upstreamPid, plan.upstream);
  try {
    return await act();
  } finally {
    for (const moved of [server.pid, upstreamPid ?? []].flat()) pin(moved, plan.others);
  }
}

function load(subject: KeySubject, plan: CorePlan | null, seconds: number): Promise<LoadResult> {
  const { server, requestsOf, upstreamPid } = subject;
  // Load that never sleeps would take the core away from a process that shares it.
  const polls = plan !== null && (upstreamPid === undefined || plan.upstream[0] !== plan.load[0]);
  return runLoad({ url: server.url, connections, seconds, requestsOf, polls });
}

async function measureOnce(subject: KeySubject, plan: CorePlan | null, seconds: number): Promise<KeySample> {
  const { name, pid } = subject.server;
  const before = readCpuTimes(pid);
  const result = await load(subject, plan, seconds);
  const after = readCpuTimes(pid);
  const perRequest = (ms: number) => (ms * 1_000) / result.requests;
  return {
    name,
    ...result,
    userMicros: perRequest(after.userMs - before.userMs),
    systemMicros: perRequest(after.systemMs - before.systemMs),
  };
}

function describe({ name, requests, seconds, p99Ms, userMicros, systemMicros }: KeySample): string {
  const cpu = `${userMicros.toFixed(1)} + ${systemMicros.toFixed(1)} µs`;
  const rate = `${Math.round(requests / seconds).toLocaleString('en')} requests/s`;
  return `${name}: ${cpu}, ${rate}, p99 ${p99Ms.toFixed(1)} ms`;
}
