import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databaseKinds, type TestDatabase } from '../testing/test-database.ts';
import { createPurgeClock, type ReadPurgeTime } from './purge-clock.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const start = Date.UTC(2026, 0, 1);

let database: TestDatabase;
let wall: number;
let waits: number[];
let read: ReadPurgeTime;
const startProcess = (aheadMs = 0) =>
  createPurgeClock({
    db: database.db,
    clock: { now: () => wall + aheadMs },
    onClockStep: (waitMs) => waits.push(waitMs),
  });
/** Goes on for as long, with a run each step. @returns the time of the last run */
const goOn = async (lengthMs: number, stepMs = 30 * minuteMs) => {
  let time = 0;
  for (const endMs = wall + lengthMs; wall < endMs; ) {
    wall += stepMs;
    time = await read();
  }
  return time;
};

/** Begins each test with a database of its own, whose clock was read once. */
function useDatabase(open: () => Promise<TestDatabase>): void {
  beforeEach(async () => {
    database = await open();
    wall = start;
    waits = [];
    read = startProcess();
    expect(await read()).toBe(start);
  });
  afterEach(() => database.close());
}

describe.each(databaseKinds(process.env))('the time of purges on $name', ({ open }) => {
  useDatabase(open);

  it('purges follow a step of the clock once it has lasted a day, over a restart as well', async () => {
    wall += 30 * dayMs;
    expect(await read()).toBe(start);
    expect(await goOn(12 * hourMs)).toBe(start);
    read = startProcess();
    expect(await goOn(11.5 * hourMs)).toBe(start);
    expect(await goOn(30 * minuteMs)).toBe(wall);
    expect(await goOn(dayMs)).toBe(wall);
  });

  it('a process whose clock alone is ahead never purges by it', async () => {
    const ahead = startProcess(2 * dayMs);
    for (let n = 0; n < 50; n++) {
      wall += hourMs;
      expect(await read()).toBe(wall);
      expect(await ahead()).toBeLessThanOrEqual(wall);
    }
  });

  it('the first run waits if the newest change is from more than an hour before, and not on an empty database', async () => {
    await database.db.updateTable('purge_clock').set({ trusted_at: 0 }).execute();
    await database.db.insertInto('changes').values({ number: 1, at: start, id: 'a', change: '{}' }).execute();
    wall += dayMs;
    expect(await startProcess()()).toBe(start);
    expect(waits).toEqual([dayMs]);
  });
});

// The database has no part in it.
describe.each(databaseKinds({}))('the rule of the time of purges', ({ open }) => {
  useDatabase(open);

  it('purges follow the clock while it goes on', async () => {
    expect(await goOn(3 * dayMs, hourMs)).toBe(start + 3 * dayMs);
    wall -= 10 * minuteMs;
    expect(await read()).toBe(wall);
    expect(waits).toEqual([]);
  });

  it('purges do not follow a clock that is a day ahead for a minute, and go on once it is right again', async () => {
    wall += dayMs;
    expect(await read()).toBe(start);
    wall += minuteMs;
    expect(await read()).toBe(start);
    expect(waits).toEqual([dayMs]);
    wall = start + 2 * minuteMs;
    expect(await read()).toBe(wall);
    wall += dayMs;
    expect(await read()).toBe(start + 2 * minuteMs);
    expect(waits).toEqual([dayMs, dayMs]);
  });

  it('of each further step forward an hour at most counts as the time that a step has lasted', async () => {
    for (let n = 0; n < 20; n++) {
      wall += dayMs;
      expect(await read()).toBe(start);
      read = startProcess();
    }
  });

  it('a step back begins the day anew, and ends the trust in the time before it', async () => {
    wall += 2 * dayMs;
    await goOn(23 * hourMs);
    wall -= dayMs;
    expect(await goOn(23 * hourMs)).toBe(start);
    expect(await goOn(2 * hourMs)).toBe(wall);
    const wrong = wall;
    wall -= 2 * dayMs;
    expect(await read()).toBe(wall);
    const right = wall;
    wall = wrong;
    expect(await read()).toBe(right);
  });

  it('a machine that runs for eight hours a day purges again after some days', async () => {
    const times: number[] = [];
    for (let day = 0; day < 5; day++) {
      wall += 16 * hourMs;
      read = startProcess();
      times.push(await goOn(8 * hourMs));
    }
    expect(times.some((time) => time > start + 2 * dayMs)).toBe(true);
  });
});
