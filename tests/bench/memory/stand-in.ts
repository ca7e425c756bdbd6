import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Stands in for the lease, content and auth services. It answers for any viewer, so that no database has to be filled first. */
export interface StandIn {
  url: string;
  /** How often a lease was read. */
  reads(): number;
  stop(): Promise<void>;
}

/** It has a thread of its own, because the thread that asks is busy with a million viewers. */
export async function startStandIn(): Promise<StandIn> {
  const reads = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const thread = new Worker(new URL('stand-in-thread.ts', import.meta.url), { workerData: reads.buffer });
  const [port] = await once(thread, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    reads: () => Atomics.load(reads, 0),
    stop: async () => void (await thread.terminate()),
  };
}
