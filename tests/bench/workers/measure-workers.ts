import type { Cleanup } from '../cleanup.ts';
import { inTurn } from '../in-turn.ts';
import { type LoadProcess, startLoadProcess } from '../load/child-process.ts';
import type { ClosedLoopOrder, ClosedLoopResult } from '../load/closed-loop.ts';
import { type CorePlan, pin, schedule } from '../proc/cores.ts';
import { readCpuMs } from '../proc/process-usage.ts';
import type { Node } from './start-nodes.ts';

export interface WorkerMeasureOptions {
  rounds: number;
  seconds: number;
  /** Numbers of connections to measure with. */
  connections: readonly number[];
  say: (line: string) => void;
}

/** What one node did in one round. */
export interface WorkerSample {
  node: string;
  connections: number;
  requestsPerSecond: number;
  /** CPU time for one request, of all processes of the server together. */
  serverMicros: number;
  /** CPU time of the load generator and of the bench, which reads the log, for one request. */
  loadMicros: number;
  /** The highest of the load processes. */
  p99Ms: number;
}

/** Two are enough for four workers. More of them would get smaller batches of answers, which take more time each. */
const loadProcesses = 2;
/** The compiler has seen every path of each worker after some ten thousand requests. */
const warmSeconds = 6;
/** Before each measurement: connections, and caches of the processor that the node before has filled. */
const leadInSeconds = 0.5;

export type Load = LoadProcess<ClosedLoopOrder, ClosedLoopResult>;

export function startLoad(cleanup: Cleanup): Load[] {
  return Array.from({ length: loadProcesses }, () =>
    cleanup.add(startLoadProcess<ClosedLoopOrder, ClosedLoopResult>('closed-loop-process.ts')),
  );
}

/**
 * Measures the nodes in turn. One process gets a core of its own, and its load, which never sleeps, another one. Workers share all cores with
 * their load and with the reader of their log.
 */
export async function measureWorkers(
  nodes: readonly Node[],
  plan: CorePlan,
  load: readonly Load[],
  { rounds, seconds, connections, say }: WorkerMeasureOptions,
): Promise<WorkerSample[]> {
  const samples: WorkerSample[] = [];
  for (const node of nodes) {
    say(`warming ${node.name}`);
    await onItsCores(node, plan, load, (run) =>
      run({ seconds: warmSeconds, connections: connections[0] ?? 64 }),
    );
  }
  for (let round = 0; round < rounds; round++) {
    for (const count of connections) {
      for (const node of inTurn(nodes, round)) {
        const sample = await onItsCores(node, plan, load, async (run) => {
          await run({ seconds: leadInSeconds, connections: count });
          return measureOnce(node, load, count, () => run({ seconds, connections: count }));
        });
        say(`round ${round + 1} of ${rounds}: ${describe(sample)}`);
        samples.push(sample);
      }
    }
  }
  return samples;
}

type Amount = Pick<ClosedLoopOrder, 'seconds' | 'connections'>;
type Run = (amount: Amount) => Promise<ClosedLoopResult[]>;

/** Moves the processes to their cores and back. */
export async function onItsCores<T>(
  { name, pid, workerPids, port, source }: Node,
  plan: CorePlan,
  load: readonly Load[],
  act: (run: Run) => Promise<T>,
): Promise<T> {
  const isAlone = workerPids.length === 0;
  const all = [...new Set([...plan.server, ...plan.upstream, ...plan.load, ...plan.others])];
  const server = [pid, ...workerPids];
  const used = isAlone ? load.slice(0, 1) : load;
  for (const each of server) pin(each, isAlone ? plan.server : all);
  for (const { pid: each } of load) pin(each, isAlone ? plan.load : all);
  pin(process.pid, isAlone ? plan.others : all);
  const client = [process.pid, ...load.map((each) => each.pid)];
  for (const each of client) schedule(each, isAlone ? 'other' : 'batch');
  try {
    return await act(async ({ seconds, connections }) => {
      const order = { port, source, seconds, connections: connections / used.length, neverSleeps: isAlone };
      const results = await Promise.all(used.map((each) => each.order(order)));
      for (const { statuses, requests } of results)
        if (statuses['200'] !== requests)
          throw new Error(`${name} did not serve every request: ${JSON.stringify(statuses)}`);
      return results;
    });
  } finally {
    for (const each of [...server, process.pid]) pin(each, plan.others);
    schedule(process.pid, 'other');
  }
}

async function measureOnce(
  { name, pid, workerPids }: Node,
  load: readonly Load[],
  connections: number,
  run: () => Promise<ClosedLoopResult[]>,
): Promise<WorkerSample> {
  const server = [pid, ...workerPids];
  const others = [process.pid, ...load.map((each) => each.pid)];
  const cpuMs = (pids: readonly number[]) => pids.reduce((sum, each) => sum + readCpuMs(each), 0);
  const [serverBefore, othersBefore] = [cpuMs(server), cpuMs(others)];
  const results = await run();
  const [serverAfter, othersAfter] = [cpuMs(server), cpuMs(others)];
  const requests = results.reduce((sum, each) => sum + each.requests, 0);
  const perRequest = (ms: number) => (ms * 1_000) / requests;
  return {
    node: name,
    connections,
    requestsPerSecond: results.reduce((sum, each) => sum + each.requests / each.seconds, 0),
    serverMicros: perRequest(serverAfter - serverBefore),
    loadMicros: perRequest(othersAfter - othersBefore),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
  };
}

function describe({
  node,
  connections,
  requestsPerSecond,
  serverMicros,
  loadMicros,
  p99Ms,
}: WorkerSample): string {
  const rate = `${Math.round(requestsPerSecond).toLocaleString('en')} requests/s`;
  const cpu = `${serverMicros.toFixed(1)} µs, load ${loadMicros.toFixed(1)} µs`;
  return `${node}, ${connections} connections: ${rate}, ${cpu}, p99 ${p99Ms.toFixed(1)} ms`;
}
