import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Stands for the lease, content and auth services, which know every viewer's lease: no database has to be filled first. */
export interface Owners {
  url: string;
  /** Leases that were read. */
  reads(): number;
  stop(): Promise<void>;
}

/** On a thread of their own: a million viewers take the asking thread long enough. */
export async function startOwners(): Promise<Owners> {
  const reads = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const thread = new Worker(new URL('owners-thread.ts', import.meta.url), { workerData: reads.buffer });
  const [port] = await once(thread, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    reads: () => Atomics.load(reads, 0),
    stop: async () => void (await thread.terminate()),
  };
}
