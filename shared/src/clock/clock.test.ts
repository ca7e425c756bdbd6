import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSystemClock } from './clock.ts';

/** A machine whose clocks the test moves. */
function createMachine() {
  let tickMs = 0;
  let wallMs = 1_700_000_000_000;
  let uptimeMs = 0;
  let readings = 0;
  /** Real time that passes between two readings of clocks, as when the process is interrupted there. */
  let interruptMs = 0;
  const read = (ms: number): number => {
    readings++;
    if (readings % 2 === 1 && interruptMs > 0) {
      const passedMs = interruptMs;
      interruptMs = 0;
      run(passedMs);
    }
    return ms;
  };
  function run(ms: number): void {
    tickMs += ms;
    wallMs += ms;
    uptimeMs += ms;
  }
  return {
    run,
    interruptNextReading: (ms: number) => {
      interruptMs = ms;
    },
    sleep(ms: number) {
      wallMs += ms;
      uptimeMs += ms;
    },
    /** A virtual machine that its host stops: afterwards only the wall clock is set right. */
    freeze(ms: number) {
      wallMs += ms;
    },
    stepWall(ms: number) {
      wallMs += ms;
    },
    clocks: {
      tickMs: () => read(tickMs),
      // Whole milliseconds, as `Date.now` gives them.
      wallMs: () => Math.floor(read(wallMs)),
      // Hundredths of a second, as Linux gives them.
      uptimeMs: () => Math.floor(uptimeMs / 10) * 10,
    },
  };
}

const stepMs = fc.double({ min: 0.01, max: 50, noNaN: true });

test('the monotonic clock measures as much time as passed, however often it is read between whole milliseconds', () => {
  fc.assert(
    fc.property(fc.array(stepMs, { minLength: 1, maxLength: 500 }), (steps) => {
      const machine = createMachine();
      const clock = createSystemClock(machine.clocks);
      const startMs = clock.monotonic();
      for (const ms of steps) {
        machine.run(ms);
        clock.monotonic();
      }
      const passedMs = steps.reduce((sum, ms) => sum + ms, 0);
      expect(clock.monotonic() - startMs).toBeCloseTo(passedMs, 6);
    }),
  );
});

type Event = readonly [kind: 'run' | 'sleep' | 'step' | 'freeze', ms: number];
const event: fc.Arbitrary<Event> = fc.oneof(
  stepMs.map((ms): Event => ['run', ms]),
  fc.integer({ min: 1, max: 3_600_000 }).map((ms): Event => ['sleep', ms]),
  fc.integer({ min: -3_600_000, max: 3_600_000 }).map((ms): Event => ['step', ms]),
  fc.integer({ min: 1, max: 3_600_000 }).map((ms): Event => ['freeze', ms]),
);

test('the monotonic clock never runs backwards and never slower than the machine is awake', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 100 }), (events) => {
      const machine = createMachine();
      const clock = createSystemClock(machine.clocks);
      let last = clock.monotonic();
      for (const [kind, ms] of events) {
        if (kind === 'run') machine.run(ms);
        else if (kind === 'sleep') machine.sleep(ms);
        else if (kind === 'freeze') machine.freeze(ms);
        else machine.stepWall(ms);
        const now = clock.monotonic();
        expect(now).toBeGreaterThanOrEqual(last + (kind === 'run' ? ms - 1e-6 : 0));
        last = now;
      }
    }),
  );
});

test('the monotonic clock counts the time that the machine slept, whatever the wall clock was set to before', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          stepMs: fc.integer({ min: -3_600_000, max: 3_600_000 }),
          sleepMs: fc.integer({ min: 200, max: 3_600_000 }),
        }),
        { minLength: 1, maxLength: 30 },
      ),
      (nights) => {
        const machine = createMachine();
        const clock = createSystemClock(machine.clocks);
        for (const { stepMs: ms, sleepMs } of nights) {
          machine.stepWall(ms);
          const before = clock.monotonic();
          machine.sleep(sleepMs);
          // The uptime counts in hundredths of a second.
          expect(clock.monotonic() - before).toBeGreaterThanOrEqual(sleepMs - 10);
        }
      },
    ),
  );
});

test('the monotonic clock counts the time for which a host stopped the machine, which only the wall clock shows', () => {
  const machine = createMachine();
  const clock = createSystemClock(machine.clocks);
  const startMs = clock.monotonic();
  machine.run(1_000);
  clock.monotonic();
  machine.freeze(60_000);
  machine.run(1_000);
  expect(clock.monotonic() - startMs).toBeCloseTo(62_000, 0);
});

test('a wall clock that is stepped forward and back a thousand times adds up to one step at most', () => {
  const machine = createMachine();
  const clock = createSystemClock(machine.clocks);
  const startMs = clock.monotonic();
  for (let turn = 0; turn < 1_000; turn++) {
    machine.stepWall(30_000);
    clock.monotonic();
    machine.stepWall(-30_000);
    clock.monotonic();
  }
  machine.run(1_000);
  expect(clock.monotonic() - startMs).toBeLessThanOrEqual(31_001);
});

test('an interruption between the readings of two clocks does not count as sleep', () => {
  const machine = createMachine();
  const clock = createSystemClock(machine.clocks);
  const startMs = clock.monotonic();
  machine.interruptNextReading(10_000);
  clock.monotonic();
  machine.run(1_000);
  expect(clock.monotonic() - startMs).toBeCloseTo(11_000, 0);
});

test('a clock of this machine that is read without a pause shows no more time than passed', () => {
  const startTickMs = performance.now();
  const clock = createSystemClock();
  const startMs = clock.monotonic();
  while (performance.now() - startTickMs < 100) clock.monotonic();
  const shownMs = clock.monotonic() - startMs;
  expect(shownMs).toBeLessThanOrEqual(performance.now() - startTickMs);
});
