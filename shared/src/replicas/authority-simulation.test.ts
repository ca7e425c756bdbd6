import { expect, test, vi } from 'vitest';
import { Interleaving, type World } from './simulated-world.fixture.ts';
import { createTally, type Tally } from './simulation-tally.fixture.ts';

/** Any number will do; a fixed one makes a failure here a failure everywhere. */
const seed = Number(process.env.SIMULATION_SEED ?? 20_260_101);
/** In all tests of this file together. `SIMULATION_RUNS=1000000` is the long form. */
const interleavings = Number(process.env.SIMULATION_RUNS ?? 100_000);
/** Spreads neighbouring runs over the seeds (2^32 divided by the golden ratio). */
const seedStep = 0x9e3779b9;
/** In the long form the longest computes for half a minute, on a machine that may have much else to do. */
vi.setConfig({ testTimeout: 600_000 });

function simulate(runs: number, world: World): Tally {
  const tally = createTally();
  for (let run = 0; run < runs; run++) {
    const runSeed = (seed + Math.imul(run, seedStep)) | 0;
    try {
      new Interleaving(runSeed, tally, null, world).run();
    } catch (error) {
      throw new Error(`SIMULATION_SEED=${seed}, interleaving ${run}: ${replay(runSeed, world, error)}`);
    }
  }
  return tally;
}

/** The same again, with the steps written down. */
function replay(runSeed: number, world: World, error: unknown): string {
  const trace: string[] = [];
  try {
    new Interleaving(runSeed, createTally(), trace, world).run();
  } catch {
    // It is the error that is being reported.
  }
  return `${error instanceof Error ? error.message : error}\n${trace.join('\n')}`;
}

test('in random interleavings no replica gives a key from a state that was over for more than 5 seconds, the one that answered a revocation none at all, no older state follows a newer one, and no request is refused because of an expiry that a renewal before it had moved', () => {
  const runs = interleavings / 2;
  const tally = simulate(runs, {});
  // A cache that forgot everything would keep every promise: this one gave, and met the hard cases on its way.
  expect(tally.given / runs).toBeGreaterThan(20);
  expect(tally.givenOnTheFeedsWord / runs).toBeGreaterThan(0.1);
  expect(tally.refusedLoads / runs).toBeGreaterThan(0.05);
  expect(tally.gaps / runs).toBeGreaterThan(0.05);
  expect(tally.lostPushes / runs).toBeGreaterThan(0.1);
  expect(tally.refusedAsExpired / runs).toBeGreaterThan(0.01);
});

test('nor where replicas share states in a cache that loses, doubles and reorders writes, goes away, and comes back with what it held long ago', () => {
  const runs = interleavings / 4;
  const tally = simulate(runs, { shares: true });
  expect(tally.given / runs).toBeGreaterThan(20);
  expect(tally.givenOnTheFeedsWord / runs).toBeGreaterThan(0.1);
  expect(tally.believed / runs).toBeGreaterThan(0.1);
  expect(tally.disbelieved / runs).toBeGreaterThan(0.1);
  expect(tally.refusedAsExpired / runs).toBeGreaterThan(0.005);
});

test.each([
  ['alone', false],
  ['sharing states', true],
])(
  'nor where standbys take over that have not received the last acts, whose numbers are given out again, with replicas %s',
  (_, shares) => {
    const runs = interleavings / 8;
    const tally = simulate(runs, { shares, losesActs: true });
    expect(tally.given / runs).toBeGreaterThan(10);
    expect(tally.givenOnTheFeedsWord / runs).toBeGreaterThan(0.05);
    expect(tally.failovers / runs).toBeGreaterThan(0.5);
  },
);

test.each([
  ['on one database', false, 0.1],
  // After a failover, and after its first read, a process waits for its limit during 35 s.
  ['where standbys take over that have not received the last acts', true, 0.05],
])(
  'nor, %s, from a state of the time before an answer that waited for every replica, where messages and pulls are lost, doubled and reordered, and replicas stand still, cannot pull, and are taken for dead',
  (_, losesActs, shortWaits) => {
    const runs = interleavings / 8;
    const tally = simulate(runs, { waits: true, losesActs });
    expect(tally.given / runs).toBeGreaterThan(20);
    expect(tally.waited / runs).toBeGreaterThan(1);
    expect(tally.waitedShortly / runs).toBeGreaterThan(shortWaits);
  },
);
