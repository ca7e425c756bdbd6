import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createRandom,
  type SimulatedServer,
  simulateOverload,
  summarizeSimulation,
} from './admission.fixture.ts';
import { Admission } from './admission.ts';

/** A key request that a gateway forwards, and a refusal before Node makes an answer. */
const server: SimulatedServer = { costMs: 0.1, refusalMs: 0.015, targetMs: 10 };
const capacityPerSecond = 1_000 / server.costMs;
const calm = { ms: 1_000, factor: 0.5 };

describe('in simulated time', () => {
  test('at 0.9 times what a server can serve, nothing is refused', () => {
    const all = simulateOverload([{ ms: 10_000, factor: 0.9 }], server);
    expect(summarizeSimulation(all, 0, 10_000)).toMatchObject({ refused: 0 });
  });

  test.each([1.5, 3])(
    'at %s times what a server can serve, served requests stay fast, and the others are refused within 50 ms',
    (factor) => {
      const all = simulateOverload([calm, { ms: 9_000, factor }, calm], server);
      // The overload begins at 1 s, is noticed within another 3 s, and its first queue is worked off within 3 s more.
      const found = summarizeSimulation(all, 7_000, 10_000);
      expect(found.servedP99Ms).toBeLessThan(3 * server.targetMs);
      expect(found.refusedP99Ms).toBeLessThan(50);
      expect(found.servedPerSecond).toBeGreaterThan(0.6 * capacityPerSecond);
      expect(summarizeSimulation(all, 10_050, 11_000)).toMatchObject({ refused: 0 });
    },
  );

  test('at ten times what a server can serve, which it cannot even refuse, it serves on and is back at once afterwards', () => {
    const clients = 2_000;
    const all = simulateOverload([calm, { ms: 6_000, factor: 10 }, calm], { ...server, clients });
    const found = summarizeSimulation(all, 2_500, 7_000);
    expect(found.servedPerSecond).toBeGreaterThan(0.2 * capacityPerSecond);
    expect(found.servedP99Ms).toBeLessThan(clients * server.costMs);
    expect(summarizeSimulation(all, 7_250, 8_000)).toMatchObject({ refused: 0 });
  });

  // Shorter pauses are among those of the property below.
  test('a process that stood still for 3 s serves all that came meanwhile', () => {
    const pauses = [{ atMs: 2_000, ms: 3_000 }];
    const all = simulateOverload([{ ms: 12_000, factor: 0.5 }], { ...server, pauses });
    expect(summarizeSimulation(all, 0, 12_000)).toMatchObject({ refused: 0 });
  });

  test('no sequence of loads that a server can serve, with pauses of the process between them, leads to a refusal', () => {
    const load = fc.record({
      ms: fc.integer({ min: 10, max: 2_000 }),
      factor: fc.double({ min: 0.01, max: 0.6, noNaN: true }),
    });
    const pause = fc.record({
      afterMs: fc.integer({ min: 3_000, max: 6_000 }),
      ms: fc.integer({ min: 1, max: 1_000 }),
    });
    fc.assert(
      fc.property(
        fc.array(load, { minLength: 1, maxLength: 8 }),
        fc.array(pause, { maxLength: 3 }),
        fc.nat(),
        (loads, gaps, seed) => {
          let atMs = 0;
          const pauses = gaps.map(({ afterMs, ms }) => {
            atMs += afterMs;
            return { atMs, ms };
          });
          expect(
            simulateOverload(loads, { ...server, pauses, seed }).filter(({ isServed }) => !isServed),
          ).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each([
    ['a thousand players', 'while a request takes as long as one for a key', 1_000, 0.03],
    ['a hundred clients', 'however slow the process is', 100, 5],
  ])('%s that each send again at once are all served, %s', (_who, _how, clients, costMs) => {
    const admission = new Admission<number>({
      targetMs: 10,
      random: () => 0.999,
      rankOf: () => 'usual',
      idleMs: () => 0,
      onChange: () => {},
    });
    let nowMs = 0;
    let served = 0;
    for (let turn = 0; turn < 1_000; turn++) {
      for (let client = 0; client < clients; client++, nowMs += costMs)
        served += Number(admission.admits(nowMs, client));
      admission.endTurn(nowMs);
    }
    expect(served).toBe(1_000 * clients);
  });

  test('ten thousand viewers who ask at once, or within a second at twice what a server can serve, are all served', () => {
    const crowd = { ms: 100, factor: 10 };
    const atOnce = simulateOverload([calm, crowd, { ms: 3_000, factor: 0.5 }], server);
    expect(summarizeSimulation(atOnce, 0, 5_000)).toMatchObject({ refused: 0 });
    const crossing = simulateOverload([calm, { ms: 1_000, factor: 2 }, { ms: 4_000, factor: 0.5 }], server);
    expect(summarizeSimulation(crossing, 0, 7_000)).toMatchObject({ refused: 0 });
  });

  test('requests that are always served take the time that they need: the others keep a quarter, and none is refused within it', () => {
    const rankOf = (n: number) => (n % 10 === 0 ? 'usual' : 'always');
    const all = simulateOverload([{ ms: 9_000, factor: 3 }], { ...server, rankOf, clients: 2_000 });
    const usual = all.filter(({ n, atMs }) => atMs > 7_000 && rankOf(n) === 'usual');
    expect(all.filter(({ n, isServed }) => rankOf(n) === 'always' && !isServed)).toEqual([]);
    expect(usual.filter(({ isServed }) => isServed).length / usual.length).toBeGreaterThan(0.9);
  });

  test('where only new leases come, a share of them is served as large as of keys', () => {
    const share = (rank: 'usual' | 'late') => {
      const all = simulateOverload([{ ms: 9_000, factor: 3 }], { ...server, rankOf: () => rank });
      const some = all.filter(({ atMs }) => atMs > 7_000);
      return some.filter(({ isServed }) => isServed).length / some.length;
    };
    expect(share('late')).toBeGreaterThan(0.8 * share('usual'));
  });

  test('refusals are spread over the viewers: of a thousand, each is served and each is refused within some seconds of an overload', () => {
    const viewers = 1_000;
    const all = simulateOverload([{ ms: 9_000, factor: 3 }], server).filter(({ atMs }) => atMs > 7_000);
    const served = new Set(all.filter(({ isServed }) => isServed).map(({ n }) => n % viewers));
    const refused = new Set(all.filter(({ isServed }) => !isServed).map(({ n }) => n % viewers));
    expect([served.size, refused.size]).toEqual([viewers, viewers]);
  });

  test('in an overload probes and revocations are all served, the API mostly, keys by a share, and new leases less than keys', () => {
    const ranks = ['always', 'early', 'usual', 'late'] as const;
    // One in a hundred of each other rank.
    const rankOf = (n: number) => ranks[[0, 1, 3].includes(n % 100) ? n % 100 : 2] ?? 'usual';
    const all = simulateOverload([{ ms: 9_000, factor: 3 }], { ...server, rankOf }).filter(
      ({ atMs }) => atMs > 7_000,
    );
    const [always, early, usual, late] = ranks.map((rank) => {
      const own = all.filter(({ n }) => rankOf(n) === rank);
      return own.filter(({ isServed }) => isServed).length / own.length;
    }) as [number, number, number, number];
    expect(always).toBe(1);
    expect(early).toBeGreaterThan(0.95);
    expect(usual).toBeLessThan(0.4);
    expect(late).toBeLessThan(0.5 * usual);
  });

  test('a flood of API requests without a credential gets an eighth of the places, and no more of the rest than keys do', () => {
    const all = simulateOverload([{ ms: 9_000, factor: 3 }], {
      ...server,
      rankOf: (n) => (n % 2 ? 'early' : 'usual'),
    });
    const share = (odd: number) => {
      const own = all.filter(({ n, atMs }) => atMs > 7_000 && n % 2 === odd);
      return own.filter(({ isServed }) => isServed).length / own.length;
    };
    // An eighth of all is a quarter of a half.
    expect(share(1)).toBeLessThan(0.25 + share(0));
    expect(share(0)).toBeGreaterThan(0.02);
  });
});

test('the beginning and the end of an overload are each reported once', () => {
  const told: boolean[] = [];
  const admission = new Admission<number>({
    targetMs: 10,
    random: createRandom(1),
    rankOf: () => 'usual',
    idleMs: () => 0,
    onChange: (isOverloaded) => told.push(isOverloaded),
  });
  let nowMs = 0;
  const turn = (requests: number) => {
    for (let n = 0; n < requests; n++, nowMs += 0.2) admission.admits(nowMs, n);
    admission.endTurn(nowMs);
  };
  for (let n = 0; n < 300; n++) turn(500);
  expect(told).toEqual([true]);
  for (let n = 0; n < 3_000; n++, nowMs += 1) turn(1);
  expect(told).toEqual([true, false]);
});
