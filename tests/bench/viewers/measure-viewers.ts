import { createCleanup } from '../cleanup.ts';
import { inTurn } from '../in-turn.ts';
import { type Loader, startLoader } from '../load/loader.ts';
import { viewersOf } from '../population.ts';
import { type Memory, readMemory, readOpenFileLimit } from '../proc/process-usage.ts';
import { startServer } from '../servers.ts';
import { askAsCrowd, type CrowdOptions, type CrowdResult } from './ask-as-crowd.ts';
import { startDistributedTarget } from './distributed-target.ts';
import { type RevocationResult, revokeUnderLoad } from './revoke-under-load.ts';
import { startSingleTarget } from './single-target.ts';
import type { Boots, Target } from './target.ts';

export interface ViewersOptions {
  viewers: number;
  /** The smaller crowd, to compare with. */
  beside: number;
  leases: number;
  ratePerSecond: number;
  seconds: number;
  rounds: number;
  replicas: number;
  boots: number;
  say: (line: string) => void;
}

export interface ViewersResult {
  boots: Boots;
  processes: string[];
  memoryBefore: Memory[];
  crowds: CrowdResult[];
  /** The same connections on a server that does nothing else. */
  bare: CrowdResult[];
  revocation: RevocationResult;
}

const profiles = { single: startSingleTarget, distributed: startDistributedTarget };
export type Profile = keyof typeof profiles;

/** A tenth of all leases is for one of them. */
const contents = 100_000;
/** Nobody presents them: they are rows beside those that are read. */
const apiKeys = 100_000;
/** Files that a process needs beside its viewers: connections to other services and the database, and the log. */
const otherFiles = 500;

/** @throws Error if the machine allows too few open files, or there are fewer leases than viewers need */
export async function measureViewers(profile: Profile, options: ViewersOptions): Promise<ViewersResult> {
  const { viewers, beside, leases, ratePerSecond, seconds, rounds, say } = options;
  const population = { leases, contents };
  assertPossible(Math.max(viewers, beside), viewersOf(population));
  const cleanup = createCleanup();
  try {
    const target = await profiles[profile]({ ...options, contents, apiKeys }, cleanup);
    const loader = cleanup.add(startLoader());
    const memoryBefore = target.processes.map(({ pid }) => readMemory(pid));
    const crowds: CrowdResult[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const size of inTurn([beside, viewers], round)) {
        say(`${profile}, round ${round + 1} of ${rounds}: ${size.toLocaleString('en')} viewers`);
        crowds.push(await askAsCrowd(size, target, loader, { population, ratePerSecond, seconds }));
      }
    }
    say(`${profile}: the popular content is revoked`);
    await askAsCrowd(viewers, target, loader, { population, ratePerSecond, seconds: 1 });
    const revocation = await revokeUnderLoad(target, loader, { seconds, ratePerSecond });
    say(`${profile}: a bare server`);
    const bare = await connectToBare(target, loader, [beside, viewers], {
      population,
      ratePerSecond,
      seconds,
    });
    const processes = target.processes.map(({ name }) => name);
    return { boots: target.boots, processes, memoryBefore, crowds, bare, revocation };
  } finally {
    await cleanup.run();
  }
}

/** What a connection takes in Node itself: the same crowds on a bare server, with the flags of the measured one. */
async function connectToBare(
  { flags, boots }: Target,
  loader: Loader,
  sizes: readonly number[],
  options: CrowdOptions,
): Promise<CrowdResult[]> {
  const server = await startServer('bare node:http', 'tests/bench/peers/bare-http.ts', {}, flags);
  const bare = { url: server.url, processes: [server], flags, replicas: 1, boots };
  try {
    const crowds: CrowdResult[] = [];
    for (const size of sizes) crowds.push(await askAsCrowd(size, bare, loader, options));
    return crowds;
  } finally {
    await loader.close();
    await server.stop();
  }
}

function assertPossible(viewers: number, viewersWithLease: number): void {
  if (viewers > viewersWithLease)
    throw new Error(
      `Each of ${viewers} viewers needs leases of its own: take --leases ${viewers * 2} or more.`,
    );
  const limit = readOpenFileLimit();
  const needed = viewers + otherFiles;
  if (limit >= needed) return;
  throw new Error(
    `${viewers} viewers are ${viewers} connections, but this machine lets a process have ${limit} files open. Allow ` +
      `${needed} or more: \`ulimit -Hn\`, \`LimitNOFILE=\` of systemd, \`--ulimit nofile=\` of Docker. Or take fewer.`,
  );
}
