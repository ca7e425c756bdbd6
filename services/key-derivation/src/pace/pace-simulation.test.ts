import type { SequencePeriods } from '@latchkey/shared/contracts';
import { createManualClock } from '@latchkey/shared/testing';
import { createRandom } from '@latchkey/support/random';
import { expect, test } from 'vitest';
import { SimulatedRedis } from '../simulation/simulated-redis.fixture.ts';
import { createLocalPace } from './local-pace.ts';
import { createSharedPace } from './shared-pace.ts';

const seed = Number(process.env.SIMULATION_SEED ?? 20_260_101);
/** Each is some 60 steps: `SIMULATION_RUNS=1000000`, the long form, is a million requests in both tests together. */
const interleavings = Number(process.env.SIMULATION_RUNS ?? 100_000) / 60;
const steps = 60;
const replicas = 3;
const mib = 1_024 * 1_024;
const periods: SequencePeriods = {
  mode: 'sequence',
  count: 1_000_000,
  periodSeconds: 10,
  burst: 3,
  speed: 2,
  pace: true,
};
const perMs = periods.speed / (periods.periodSeconds * 1_000);
const key = { viewerId: 'eve', contentId: 'film', periods };

/** @returns how many keys were given, how much time passed, and how many answers were lost after Redis had counted */
async function simulate(random: (below: number) => number, hasFaults: boolean) {
  const clock = createManualClock();
  const redis = new SimulatedRedis(clock, random, hasFaults);
  const paces = Array.from({ length: replicas }, () =>
    createSharedPace(redis.connect(), createLocalPace(clock, mib)),
  );
  const startedAtMs = clock.monotonic();
  const given = new Set<number>();
  const open: Promise<void>[] = [];
  const ask = (epoch: number) => {
    const waitMs = paces[random(replicas)]?.take({ ...key, epoch });
    const note = (ms: number | undefined) => {
      if (ms === 0) given.add(epoch);
    };
    if (typeof waitMs === 'number') note(waitMs);
    else if (waitMs) open.push(waitMs.then(note));
  };
  for (let step = 0; step < steps; step++) {
    const dice = random(100);
    if (dice < 55) ask(random(40));
    else if (dice < 85) redis.progress();
    else if (dice < 93) clock.advance([1, 500, 4_999, 5_000, 60_000][random(5)] ?? 1);
    else if (hasFaults && dice < 96) redis.lose();
    else if (hasFaults) redis.isUp = !redis.isUp;
    // Promises go on between the steps.
    for (let turn = 0; turn < 3; turn++) await null;
  }
  let isOver = false;
  const all = Promise.all(open).then(() => {
    isOver = true;
  });
  while (!isOver) {
    redis.progress();
    await null;
  }
  await all;
  return { given: given.size, elapsedMs: clock.monotonic() - startedAtMs, lostAnswers: redis.lostAnswers };
}

test.each([
  ['as one', false, 1],
  [
    'each at most as one alone, where Redis goes away, loses its buckets, and commands and answers are lost',
    true,
    replicas,
  ],
])(
  'in random interleavings of their requests, replicas give no more keys than the pace allows: %s',
  async (_, hasFaults, buckets) => {
    let atTheLimit = 0;
    for (let run = 0; run < interleavings / 2; run++) {
      const { given, elapsedMs, lostAnswers } = await simulate(
        createRandom((seed + Math.imul(run, 0x9e3779b9)) | 0),
        hasFaults,
      );
      // A key whose answer was lost is counted in Redis alone, which may lose it, and is then given by another replica.
      const allowed = buckets * Math.floor(periods.burst + elapsedMs * perMs) + lostAnswers;
      if (given > allowed)
        throw new Error(`SIMULATION_SEED=${seed}, interleaving ${run}: ${given} of ${allowed}`);
      if (given === Math.min(allowed, 40)) atTheLimit++;
    }
    // One that gave nothing would keep the promise.
    expect(atTheLimit / (interleavings / 2)).toBeGreaterThan(hasFaults ? 0 : 0.02);
  },
  120_000,
);
