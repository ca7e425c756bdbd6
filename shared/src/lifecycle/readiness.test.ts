import { describe, expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { stopTime } from '../testing/stop-time.ts';
import { createLoggedReadiness, createReadiness, Degraded } from './readiness.ts';
import { createStartUp } from './start-up.ts';

const up = async () => ({ behindMs: 3 });
const down = async () => {
  throw new Error('password=hunter2');
};

function create(checks: Record<string, () => Promise<Record<string, unknown> | undefined>>) {
  const clock = createManualClock();
  const faults: string[] = [];
  const dependencies = Object.entries(checks).map(([name, check]) => ({ name, check }));
  return { clock, faults, readiness: createReadiness(dependencies, clock, (name) => void faults.push(name)) };
}

test('a process with a missing dependency is not ready, names it, and shows the cause only in the log', async () => {
  const { readiness, faults } = create({ database: down, feed: up });
  const report = await readiness.report();
  expect(report).toMatchObject({
    ready: false,
    dependencies: { database: { status: 'down' }, feed: { status: 'up' } },
  });
  expect(JSON.stringify(report)).not.toContain('hunter2');
  expect(faults).toEqual(['database']);
});

test('the log says once that a dependency is down, again for another reason, and once that it is up', async () => {
  const clock = createManualClock();
  let reason: string | null = 'refused';
  const heard: string[] = [];
  const readiness = createReadiness(
    [
      {
        name: 'database',
        check: async () => {
          if (reason) throw new Error(reason);
          return undefined;
        },
      },
    ],
    clock,
    (name, error) => heard.push(`${name} down: ${String(error)}`),
    (name) => heard.push(`${name} up`),
  );
  for (reason of ['refused', 'refused', 'too slow', 'too slow', null, null, 'refused']) {
    clock.advance(1_000);
    await readiness.report();
  }
  expect(heard).toEqual([
    'database down: Error: refused',
    'database down: Error: too slow',
    'database up',
    'database down: Error: refused',
  ]);
});

test('a dependency that hangs is down after 2 seconds', async () => {
  const time = stopTime();
  const { readiness } = create({ database: () => new Promise(() => {}) });
  const report = readiness.report();
  time.advance(2_000);
  expect((await report).dependencies.database).toEqual({ status: 'down' });
});

test('while a check hangs, a report shows after 700 ms what the last one that ended found, and no other check of it begins', async () => {
  const time = stopTime();
  let hangs = false;
  let begun = 0;
  const { readiness, clock } = create({
    database: () => {
      begun++;
      return hangs ? new Promise(() => {}) : up();
    },
  });
  async function reportedAfter(waitMs: number) {
    clock.advance(501);
    const report = readiness.report();
    time.advance(waitMs);
    const { database } = (await report).dependencies;
    await new Promise(setImmediate);
    return database?.status;
  }
  expect(await reportedAfter(0)).toBe('up');
  hangs = true;
  for (let n = 0; n < 2; n++) expect(await reportedAfter(700)).toBe('up');
  expect(begun).toBe(2);
  // The 2 s of the check are over.
  expect(await reportedAfter(600)).toBe('down');
  for (let n = 0; n < 2; n++) expect(await reportedAfter(700)).toBe('down');
  expect(begun).toBe(3);
  expect(await reportedAfter(600)).toBe('down');
  hangs = false;
  expect(await reportedAfter(0)).toBe('up');
});

test('probes within half a second share one round of checks, and a later one starts another', async () => {
  let asked = 0;
  const { readiness, clock } = create({
    database: async () => {
      asked++;
      return undefined;
    },
  });
  await Promise.all([readiness.report(), readiness.report()]);
  clock.advance(500);
  await readiness.report();
  expect(asked).toBe(1);
  clock.advance(1);
  await readiness.report();
  expect(asked).toBe(2);
});

test('a process that drains is not ready at once, also within the half second that a report is shared', async () => {
  const { readiness } = create({ database: up });
  expect((await readiness.report()).ready).toBe(true);
  readiness.drain();
  expect(readiness.isDraining()).toBe(true);
  const { ready, dependencies } = await readiness.report();
  expect([ready, dependencies.process]).toEqual([false, { status: 'down', draining: true }]);
});

test('a process that drains says so at once with what it found before, though a dependency hangs', async () => {
  stopTime();
  const { readiness, clock } = create({ database: up });
  await readiness.report();
  const hanging = create({ database: () => new Promise(() => {}) });
  hanging.readiness.drain();
  expect((await hanging.readiness.report()).ready).toBe(false);
  readiness.drain();
  clock.advance(10_000);
  expect((await readiness.report()).dependencies).toEqual({
    database: { status: 'up', behindMs: 3 },
    process: { status: 'down', draining: true },
  });
});

test('a degraded dependency is shown with its facts and logged, and the process stays ready', async () => {
  const { readiness, faults } = create({
    database: () => Promise.reject(new Degraded('disk full', { writes: false })),
    feed: up,
  });
  const { ready, dependencies } = await readiness.report();
  expect([ready, dependencies.database]).toEqual([true, { status: 'degraded', writes: false }]);
  expect(faults).toEqual(['database']);
});

test('a process knows from its last round that something is missing, starts new rounds by itself, and can discard earlier results', async () => {
  let isUp = true;
  const { readiness, clock } = create({
    database: async () => {
      if (!isUp) throw new Error('gone');
      return undefined;
    },
  });
  expect(readiness.lacksSomething()).toBe(false);
  await readiness.report();
  isUp = false;
  clock.advance(1_001);
  readiness.lacksSomething();
  await readiness.report();
  expect(readiness.lacksSomething()).toBe(true);
  readiness.discardResults();
  expect(readiness.lacksSomething()).toBe(false);
});

describe('while everything starts', () => {
  /** A process that has just started. Its database is down for this reason, until it is null. */
  function start() {
    const clock = createManualClock();
    const lines: string[] = [];
    const note = (message: string) => void lines.push(message);
    const log = { info: note, warn: note, error: note };
    const state: { fault: Error | null } = { fault: new Error('password authentication failed') };
    const check = async () => {
      if (state.fault) throw state.fault;
      return undefined;
    };
    const startUp = createStartUp(clock);
    const readiness = createLoggedReadiness([{ name: 'database', check }], { clock, log, startUp });
    const linesAfter = async (seconds: number) => {
      clock.advance(seconds * 1_000);
      await readiness.report();
      return lines.splice(0);
    };
    return { state, linesAfter };
  }

  test('a process does not log as lost what was not up yet', async () => {
    const { state, linesAfter } = start();
    const { fault } = state;
    expect(await linesAfter(1)).toEqual([]);
    state.fault = null;
    expect(await linesAfter(1)).toEqual([]);
    state.fault = fault;
    expect(await linesAfter(1)).toEqual(['not ready: database']);
    state.fault = null;
    expect(await linesAfter(1)).toEqual(['ready again: database']);
  });

  test('a process logs after a minute what is still missing', async () => {
    const { linesAfter } = start();
    expect(await linesAfter(59)).toEqual([]);
    expect(await linesAfter(1)).toEqual(['not ready: database']);
    expect(await linesAfter(1)).toEqual([]);
  });

  test('a process logs at once a fault that no waiting mends, such as a refused certificate', async () => {
    const { state, linesAfter } = start();
    state.fault = Object.assign(new Error('not signed by a CA in /ca.pem'), { publicReason: 'not signed' });
    expect(await linesAfter(1)).toEqual(['not ready: database']);
  });
});
