import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { createCleanup } from '../cleanup.ts';
import { settleOnCores } from '../keys/measure-keys.ts';
import { describeMachine } from '../proc/process-usage.ts';
import { measureWorkers, onItsCores, startLoad, type WorkerMeasureOptions } from './measure-workers.ts';
import { reportRevocations, reportWorkers } from './report-workers.ts';
import { revokeOnWorkers } from './revoke-on-workers.ts';
import { startNode } from './start-nodes.ts';

interface CompareWorkersOptions extends WorkerMeasureOptions {
  /** How many leases are revoked under load. */
  revocations: number;
}

/** A revocation takes some 10 ms under load. The load ends with the last one at the latest. */
const loadSecondsForRevocation = 0.1;
/** Connections have been spread over the workers. */
const settleMs = 500;

/**
 * Compares a single node of one process with one that has a worker for each core, and revokes leases under load.
 *
 * @returns both tables
 * @throws Error where cores cannot be chosen
 */
export async function compareWorkers(options: CompareWorkersOptions): Promise<string> {
  const { rounds, seconds, revocations, say } = options;
  const cleanup = createCleanup();
  const [machine, cores] = [describeMachine(), availableParallelism()];
  try {
    const plan = await settleOnCores(cleanup, say);
    if (!plan) throw new Error('The measurement needs taskset (util-linux) and two cores or more.');
    const one = await startNode(1, cleanup);
    const workers = await startNode(cores, cleanup);
    const load = startLoad(cleanup);
    const samples = await measureWorkers([one, workers], plan, load, options);
    const connections = options.connections[0] ?? 64;
    say(`${revocations} revocations under load`);
    const found = await onItsCores(workers, plan, load, async (run) => {
      const loading = run({ seconds: revocations * loadSecondsForRevocation, connections });
      // A failure of the load is reported once the revocations are over.
      loading.catch(() => {});
      await pause(settleMs);
      const revoked = await revokeOnWorkers(workers, revocations);
      await loading;
      return revoked;
    });
    const how = `${rounds} rounds of ${seconds} s; one process alone on a core, workers beside the load on all cores`;
    return `${machine}; ${how}\n\n${reportWorkers(samples)}\n\nUnder the load of ${connections} connections, with a connection to each worker that asks without a pause:\n\n${reportRevocations(found)}`;
  } finally {
    await cleanup.run();
  }
}
