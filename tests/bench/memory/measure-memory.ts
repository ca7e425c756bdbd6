import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { repositoryFolder } from '@latchkey/support/repository';
import { startOwnPostgres } from '@latchkey/support/stores/own-stores';
import { singleNodeFlags } from '../../../tools/single-node-command.mjs';
import { createLeases, keyRequests, registerContent, viewerTokens } from '../keys/viewers.ts';
import { runLoad } from '../load.ts';
import { forgetPeak, readMemory, readOpenFileLimit } from '../proc/process-usage.ts';
import type { Run } from '../run.ts';
import { type Subject, startServer, startServices, startSingleNode } from '../servers.ts';

/** The memory of one process, in MiB. */
export interface MemorySample {
  name: string;
  atRest: number;
  /** The highest with each of `crowds`. */
  peaks: number[];
}

/** How many viewers come. The second crowd has the viewers of the first. */
export const crowds = [1_000, 5_000] as const;
/** Files that a process needs in addition to its viewers: connections to other services and the database, and the log. */
const otherFiles = 500;
/** Longer than what follows a start, such as the first sample of the statistics. */
const settleMs = 3_000;
/** As `compose.yaml` and Kubernetes start the processes that derive keys: docs/operate/operations.md, "Memory". */
const keyFlags = `--max-semi-space-size=4 --import=${join(repositoryFolder, 'shared/src/memory/favor-memory.ts')}`;

/**
 * Reads the memory of each process before viewers come, and while each viewer has a connection, a token and a lease, and requests a key
 * once a second.
 *
 * @throws Error if Postgres is not installed, or a process may open too few files
 */
export async function measureMemory({ seconds, cleanup, say }: Run): Promise<MemorySample[]> {
  const needed = crowds[1] + otherFiles;
  if (readOpenFileLimit() < needed)
    throw new Error(`a process may open ${readOpenFileLimit()} files, and needs ${needed} (\`ulimit -Hn\`)`);
  const postgres = cleanup.add(await startOwnPostgres());
  const single = await startSingleNode(cleanup);
  const {
    auth,
    content,
    leases,
    'key-derivation': keys,
    gateway,
    edge,
  } = await startServices(cleanup, postgres.url, keyFlags);
  const bare = cleanup.add(
    await startServer('bare node:http', 'tests/bench/peers/bare-http.ts', {}, singleNodeFlags),
  );
  const tokens = viewerTokens(crowds[1]);
  await pause(settleMs);
  async function measure(front: Subject, processes: readonly Subject[]): Promise<MemorySample[]> {
    const samples = processes.map(({ name, pid }) => ({
      name: name.replace(/-1$/, ''),
      atRest: readMemory(pid).residentKiB / 1_024,
      peaks: [] as number[],
    }));
    if (front === single || front === gateway) await registerContent(front);
    const ids: string[] = [];
    for (const viewers of crowds) {
      say(`${samples[0]?.name}: ${viewers.toLocaleString('en')} viewers`);
      for (const { pid } of processes) forgetPeak(pid);
      if (front !== bare) ids.push(...(await createLeases(front, tokens.slice(ids.length, viewers))));
      const requestsOf = keyRequests(tokens.slice(0, viewers), front === bare ? undefined : ids);
      const load = { connections: viewers, connectionRate: 1, seconds, requestsOf };
      // All come in the same second, which a gateway refuses in part.
      await runLoad({ url: front.url, ...load, mayRefuse: true });
      for (const [n, { pid }] of processes.entries()) samples[n]?.peaks.push(readMemory(pid).peakKiB / 1_024);
    }
    return samples;
  }
  return [
    ...(await measure(single, [single])),
    ...(await measure(gateway, [gateway, keys, leases, content, auth])),
    ...(await measure(edge, [edge])),
    ...(await measure(bare, [bare])),
  ];
}
