import { migrate } from '@latchkey/shared/db';
import { createCleanup } from '../cleanup.ts';
import { inTurn } from '../in-turn.ts';
import { type Loader, startLoader } from '../load/loader.ts';
import type { RunResult } from '../load/order.ts';
import { readCpuMs } from '../proc/process-usage.ts';
import { seedLeases } from '../seed-leases.ts';
import { becomesReady, type Subject, tokenSecret } from '../servers.ts';
import { startBackings } from '../stack/backings.ts';
import { internalSecret, type Owners, startKeyDerivation, startOwners } from '../stack/services.ts';

/** Where a new replica reads the states of leases: from Redis first, or only from the lease service. */
export const sources = ['Redis', 'the lease service'] as const;
type Source = (typeof sources)[number];

/** First keys: the replica has read no state yet. Next keys: it has the states of all viewers. */
export const passes = ['first', 'next'] as const;

export interface ColdSample {
  source: Source;
  pass: (typeof passes)[number];
  /** Median, 99th percentile and maximum, in milliseconds. */
  latency: RunResult['latency'];
  /** Requests that got another answer than a key, or no answer. */
  refused: number;
  /** CPU time for each key request, in milliseconds. */
  replicaCpuMs: number;
  leasesCpuMs: number;
}

export interface ColdResult {
  samples: ColdSample[];
  /** First requests to a new replica while the lease service is stopped, counted by status. */
  withoutLeases: { source: Source; statuses: Record<string, number> }[];
}

export interface ColdOptions {
  /** Viewers whose first keys are measured, each with a token and a lease. */
  viewers: number;
  ratePerSecond: number;
  rounds: number;
  say: (line: string) => void;
}

/** Viewers who ask before the measurement, so that the code of the new process is compiled. */
const warmingViewers = 200;
/** Attempts to put every state into Redis: on a busy machine the lease service refuses some of the first requests. */
const fillingPasses = 5;
const contents = 20;

interface Scene {
  backings: Readonly<Record<string, string>>;
  owners: Owners;
  loader: Loader;
  options: ColdOptions;
}

/** @throws Error if Postgres, Redis or NATS is missing */
export async function measureColdReplica(options: ColdOptions): Promise<ColdResult> {
  const cleanup = createCleanup();
  try {
    const backings = cleanup.add(await startBackings());
    await migrate(backings.db);
    const owners = await startOwners(backings.env);
    for (const server of Object.values(owners.servers)) cleanup.add(server);
    await seedLeases(backings.db, populationOf(options), Date.now(), options.say);
    const loader = cleanup.add(startLoader());
    const scene = { backings: backings.env, owners, loader, options };
    // This replica is not measured. It registers the master key and puts the state of each lease into Redis.
    await withReplica(scene, 'Redis', (replica) => fillRedis(scene, replica));
    const samples: ColdSample[] = [];
    for (let round = 0; round < options.rounds; round++) {
      for (const source of inTurn(sources, round)) {
        options.say(`round ${round + 1} of ${options.rounds}: a new replica that reads from ${source}`);
        samples.push(...(await withReplica(scene, source, (replica) => sample(scene, source, replica))));
      }
    }
    await owners.servers.leases.stop();
    const withoutLeases = [];
    for (const source of sources) {
      options.say(`the lease service is stopped: a new replica that reads from ${source}`);
      const result = await withReplica(scene, source, (replica) => askOnce(scene, replica));
      withoutLeases.push({ source, statuses: statusesOf(result) });
    }
    return { samples, withoutLeases };
  } finally {
    await cleanup.run();
  }
}

/** Each viewer holds two leases and names the first. */
function populationOf({ viewers }: ColdOptions) {
  return { leases: 2 * (warmingViewers + viewers), contents };
}

async function withReplica<T>(
  scene: Scene,
  source: Source,
  use: (replica: Subject) => Promise<T>,
): Promise<T> {
  const { REDIS_URL, ...others } = scene.backings;
  const backings = source === 'Redis' && REDIS_URL ? { ...others, REDIS_URL } : others;
  const replica = await startKeyDerivation('key-derivation', scene.owners, backings);
  try {
    await becomesReady(replica.url);
    return await use(replica);
  } finally {
    await scene.loader.close();
    await replica.stop();
  }
}

/** Connects all viewers, and lets the warming ones ask. */
async function connect({ loader, options }: Scene, { url }: Subject): Promise<void> {
  await loader.open({
    urls: [url],
    viewers: warmingViewers + options.viewers,
    population: populationOf(options),
    namesLease: true,
    tokenSecret,
    internalSecret,
  });
  await loader.run({ requests: warmingViewers, ratePerSecond: options.ratePerSecond });
}

/** @returns the first key requests of all viewers but the warming ones */
async function askOnce(scene: Scene, replica: Subject): Promise<RunResult> {
  await connect(scene, replica);
  const { viewers, ratePerSecond } = scene.options;
  return scene.loader.run({ requests: viewers, ratePerSecond });
}

/** @throws Error if a state is missing in Redis: the figures with Redis would then include calls of the lease service */
async function fillRedis(scene: Scene, replica: Subject): Promise<void> {
  await connect(scene, replica);
  const { viewers, ratePerSecond } = scene.options;
  const requests = warmingViewers + viewers;
  let refused = requests;
  for (let pass = 1; pass <= fillingPasses && refused > 0; pass++)
    refused = refusedOf(await scene.loader.run({ requests, ratePerSecond }));
  if (refused > 0) throw new Error(`${refused} keys were not served: this machine needs a lower --rate`);
}

async function sample(scene: Scene, source: Source, replica: Subject): Promise<ColdSample[]> {
  const { loader, owners, options } = scene;
  const { viewers, ratePerSecond } = options;
  await connect(scene, replica);
  const samples: ColdSample[] = [];
  for (const pass of passes) {
    // Viewers ask in a fixed order, so the warming ones have their turn again before the next keys.
    if (pass === 'next') await loader.run({ requests: warmingViewers, ratePerSecond });
    const before = [readCpuMs(replica.pid), readCpuMs(owners.servers.leases.pid)] as const;
    const result = await loader.run({ requests: viewers, ratePerSecond });
    const replicaCpuMs = (readCpuMs(replica.pid) - before[0]) / viewers;
    const leasesCpuMs = (readCpuMs(owners.servers.leases.pid) - before[1]) / viewers;
    samples.push({
      source,
      pass,
      latency: result.latency,
      refused: refusedOf(result),
      replicaCpuMs,
      leasesCpuMs,
    });
  }
  return samples;
}

/** The statuses of all viewers: the load generator counts those of the popular content separately. */
function statusesOf({ statuses, popularStatuses }: RunResult): Record<string, number> {
  const all = { ...statuses };
  for (const [status, count] of Object.entries(popularStatuses)) all[status] = (all[status] ?? 0) + count;
  return all;
}

function refusedOf(result: RunResult): number {
  const { 200: _served, ...others } = statusesOf(result);
  return Object.values(others).reduce((sum, count) => sum + count, 0);
}
