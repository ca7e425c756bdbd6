import { expect, test } from 'vitest';
import { Interleaving, type Tally } from './simulated-world.fixture.ts';

/** Any number will do; a fixed one makes a failure here a failure everywhere. */
const seed = Number(process.env.SIMULATION_SEED ?? 20_260_101);
const interleavings = Number(process.env.SIMULATION_RUNS ?? 1_000_000);
/** Spreads neighbouring runs over the seeds (2^32 divided by the golden ratio). */
const seedStep = 0x9e3779b9;

function simulate(run: number, tally: Tally): void {
  const runSeed = (seed + Math.imul(run, seedStep)) | 0;
  try {
    new Interleaving(runSeed, tally, null).run();
  } catch (error) {
    throw new Error(`SIMULATION_SEED=${seed}, interleaving ${run}: ${replay(runSeed, error)}`);
  }
}

/** The same again, with the steps written down. */
function replay(runSeed: number, error: unknown): string {
  const trace: string[] = [];
  try {
    new Interleaving(runSeed, { given: 0, givenOnTheFeedsWord: 0, refusedLoads: 0, gaps: 0 }, trace).run();
  } catch {
    // It is the error that is being reported.
  }
  return `${error instanceof Error ? error.message : error}\n${trace.join('\n')}`;
}

test('in a million random interleavings no replica gives a key from a state that was over for more than 5 seconds, the one that answered a revocation none at all, and no older state follows a newer one', () => {
  const tally: Tally = { given: 0, givenOnTheFeedsWord: 0, refusedLoads: 0, gaps: 0 };
  for (let run = 0; run < interleavings; run++) simulate(run, tally);
  // A cache that forgot everything would keep every promise: this one gave, and met the hard cases on its way.
  expect(tally.given / interleavings).toBeGreaterThan(20);
  expect(tally.givenOnTheFeedsWord / interleavings).toBeGreaterThan(0.1);
  expect(tally.refusedLoads / interleavings).toBeGreaterThan(0.05);
  expect(tally.gaps / interleavings).toBeGreaterThan(0.05);
}, 120_000);
