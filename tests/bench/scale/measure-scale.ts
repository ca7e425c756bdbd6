import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '@latchkey/shared/db';
import { type Cleanup, createCleanup } from '../cleanup.ts';
import { inTurn } from '../in-turn.ts';
import { type Loader, startLoader } from '../load/loader.ts';
import { seedLeases } from '../seed-leases.ts';
import { type Subject, startServer, tokenSecret } from '../servers.ts';
import { type Backings, startBackings } from '../stack/backings.ts';
import { type Owners, startDataPlane, startOwners } from '../stack/services.ts';
import { keepAwake } from './keep-awake.ts';
import { type Sample, takeSample } from './sample.ts';
import { nameOf, type Shape } from './shape.ts';
import { warmEqually } from './warm.ts';

export interface ScaleOptions {
  shapes: Shape[];
  rounds: number;
  seconds: number;
  ratePerSecond: number;
  /** Whether the rate is for each replica; false: for all together. */
  rateIsForEachReplica: boolean;
  viewers: number;
  /** Whether cores are kept from falling asleep. */
  keepsAwake: boolean;
  /** Requests to each process before it is measured. */
  warmRequests: number;
  say: (line: string) => void;
}

/**
 * The kinds of load: the two usual requests of a viewer to Latchkey, and requests to as many bare node:http servers as there
 * are replicas. Differences between the bare ones come from the machine.
 */
export const kinds = ['token', 'token and lease', 'bare node:http'] as const;
type Kind = (typeof kinds)[number];
export type Part = 'gateway' | 'key-derivation' | 'bare';

export interface ScaleSample extends Sample<string> {
  shape: Shape;
  kind: Kind;
}

/** After the warming, the compiler and the garbage collector still run for a while. */
const settleMs = 2_000;
const contents = 50;

interface Bench {
  backings: Backings;
  owners: Owners;
  loader: Loader;
}

/**
 * Measures each shape once a round, with new processes each time: the cost differs a little from one start to the next, and
 * the median covers that too.
 */
export async function measureScale(options: ScaleOptions): Promise<ScaleSample[]> {
  const cleanup = createCleanup();
  try {
    const bench = await prepare(options, cleanup);
    const samples: ScaleSample[] = [];
    for (let round = 0; round < options.rounds; round++) {
      for (const shape of inTurn(options.shapes, round)) {
        options.say(`round ${round + 1} of ${options.rounds}: ${nameOf(shape)}`);
        samples.push(...(await measureShape(shape, bench, options)));
      }
    }
    return samples;
  } finally {
    await cleanup.run();
  }
}

async function prepare(options: ScaleOptions, cleanup: Cleanup): Promise<Bench> {
  const backings = cleanup.add(await startBackings());
  await migrate(backings.db);
  await seedLeases(backings.db, populationOf(options), Date.now(), () => {});
  const owners = await startOwners(backings.env);
  for (const server of Object.values(owners.servers)) cleanup.add(server);
  if (options.keepsAwake) cleanup.add(await keepAwake());
  return { backings, owners, loader: cleanup.add(startLoader()) };
}

async function measureShape(shape: Shape, bench: Bench, options: ScaleOptions): Promise<ScaleSample[]> {
  const { backings, owners } = bench;
  const samples: ScaleSample[] = [];
  const plane = await startDataPlane(shape, owners, backings.env);
  try {
    const parts = { gateway: plane.gateways, 'key-derivation': plane.replicas };
    const kindsOfTokens = ['token', 'token and lease'] as const;
    for (const kind of kindsOfTokens) {
      const viewers = viewersOf(kind, options);
      await warmEqually(plane, bench.loader, viewers, options.warmRequests / kindsOfTokens.length);
    }
    for (const kind of kindsOfTokens)
      samples.push(await measureKind(kind, shape, plane.gateways, parts, bench, options));
  } finally {
    await bench.loader.close();
    await plane.stop();
  }
  samples.push(await measureBare(shape, bench, options));
  return samples;
}

async function measureBare(shape: Shape, bench: Bench, options: ScaleOptions): Promise<ScaleSample> {
  const kind = 'bare node:http';
  const numbers = Array.from({ length: shape.replicas }, (_, n) => n + 1);
  const bare = await Promise.all(
    numbers.map((n) => startServer(`${kind} ${n}`, 'tests/bench/peers/bare-http.ts', {})),
  );
  try {
    const plane = { gateways: [], replicas: bare };
    await warmEqually(plane, bench.loader, viewersOf(kind, options), options.warmRequests);
    return await measureKind(kind, shape, bare, { bare }, bench, options);
  } finally {
    await bench.loader.close();
    await Promise.all(bare.map((server) => server.stop()));
  }
}

async function measureKind(
  kind: Kind,
  shape: Shape,
  asked: readonly Subject[],
  parts: Record<string, readonly Subject[]>,
  { loader }: Bench,
  options: ScaleOptions,
): Promise<ScaleSample> {
  const ratePerSecond = options.ratePerSecond * (options.rateIsForEachReplica ? shape.replicas : 1);
  await loader.open({ ...viewersOf(kind, options), urls: asked.map(({ url }) => url) });
  // Each viewer's first request on its new connection is not measured.
  await loader.run({ requests: options.viewers * 2, ratePerSecond });
  await pause(settleMs);
  const sample = await takeSample(parts, loader, { seconds: options.seconds, ratePerSecond });
  options.say(`  ${kind}: ${describe(sample)}`);
  return { ...sample, shape, kind };
}

function describe({ costs, p99Ms, loaderCpuShare }: Sample<string>): string {
  const parts = Object.entries(costs).map(([part, cost]) => `${part} ${cost.microsPerRequest.toFixed(1)} µs`);
  const share = `load generator ${(loaderCpuShare * 100).toFixed(0)} % of a core`;
  return [...parts, `p99 ${p99Ms.toFixed(1)} ms`, share].join(', ');
}

function viewersOf(kind: Kind, options: ScaleOptions) {
  const { viewers } = options;
  return { viewers, population: populationOf(options), tokenSecret, namesLease: kind === 'token and lease' };
}

function populationOf({ viewers }: ScaleOptions) {
  return { leases: Math.max(1_000, viewers * 2), contents };
}
