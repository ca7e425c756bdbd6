import { createRandom } from '@latchkey/support/random';
import { expect, test, vi } from 'vitest';
import { createLocalPace } from '../pace/local-pace.ts';
import { PaceLedger } from './pace-ledger.fixture.ts';
import { type Random, SimulatedKeyServer } from './simulated-key-server.fixture.ts';
import { askAlone, type Tally } from './simulated-requests.fixture.ts';

/** Any number will do; a fixed one makes a failure here a failure everywhere. */
const seed = Number(process.env.SIMULATION_SEED ?? 20_260_101);
/** Key requests, each with one or two other events before it. `SIMULATION_RUNS=1000000` is the long form. */
const requests = Number(process.env.SIMULATION_RUNS ?? 100_000);
const requestsPerRun = 40;
/** Spreads neighbouring runs over the seeds (2^32 divided by the golden ratio). */
const seedStep = 0x9e3779b9;
const mib = 1_024 * 1_024;
/** In the long form some seconds each, on a machine that may have much else to do. */
vi.setConfig({ testTimeout: 600_000 });

/** Runs interleavings from the seed on. @returns how often each outcome occurred in each of them */
function simulate(interleave: (random: Random, tally: Tally) => void): (outcome: string) => number {
  const tally: Tally = {};
  const runs = requests / requestsPerRun;
  for (let run = 0; run < runs; run++) {
    try {
      interleave(createRandom((seed + Math.imul(run, seedStep)) | 0), tally);
    } catch (error) {
      throw new Error(`SIMULATION_SEED=${seed}, interleaving ${run}: ${(error as Error).message}`);
    }
  }
  return (outcome) => (tally[outcome] ?? 0) / runs;
}

test('while key periods are changed, added and removed, viewers are marked and blocked, clocks jump and changes arrive late, twice, in any order or never, a replica answers by a schedule that held within 5 s, never by one from before a change that it has received, and gives each viewer no more keys than the pace allows', () => {
  const often = simulate((random, tally) => {
    const server = new SimulatedKeyServer(random);
    const paces = ([0, 1] as const).map((which) => createLocalPace(server.clockOf(which), mib));
    const ledger = new PaceLedger(paces.length, server.nowMs);
    for (let request = 0; request < requestsPerRun; request++) {
      for (let events = 1 + random(2); events > 0; events--) server.step();
      const which = random(2) as 0 | 1;
      const pace = paces[which];
      if (pace) askAlone(server, which, pace, ledger, tally);
    }
  });
  // A server that refused everything would keep every promise: these occurred in each interleaving, or in every so manyth.
  expect(often('served')).toBeGreaterThan(3);
  expect(often('EPOCH_NOT_FOUND')).toBeGreaterThan(0.5);
  expect(often('EPOCH_NOT_YET')).toBeGreaterThan(0.5);
  expect(often('EPOCH_PAST')).toBeGreaterThan(0.05);
  expect(often('TOKEN_REVOKED')).toBeGreaterThan(0.5);
  expect(often('VIEWER_BLOCKED')).toBeGreaterThan(0.2);
  expect(often('KEY_PACE_EXCEEDED')).toBeGreaterThan(0.05);
  expect(often('as much as the pace allows')).toBeGreaterThan(0.005);
});
