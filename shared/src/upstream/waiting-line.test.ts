import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { createRetryBudget, type Waiter, WaitingLine } from './waiting-line.ts';

const waiter = (weight = 0.5, limitMs?: number): Waiter => ({
  weight,
  ...(limitMs === undefined ? {} : { limitMs }),
  admit() {},
  refuse() {},
});

/** A line of so many requests, of which so many have their turn in each 100 ms, for some seconds. */
function movingLine(length: number, per100Ms: number, seconds = 2) {
  const clock = createManualClock();
  const line = new WaitingLine(clock);
  for (let n = 0; n < length; n++) line.add(waiter(0.1));
  const move = (rate: number, times: number) => {
    for (let step = 0; step < times; step++) {
      clock.advance(100);
      for (let n = 0; n < rate; n++) {
        line.take();
        line.add(waiter(0.1));
      }
    }
  };
  move(per100Ms, seconds * 10);
  return { line, move };
}

test('ten thousand viewers whose requests take 6 KiB each can wait at once', () => {
  const line = new WaitingLine(createManualClock());
  for (let n = 0; n < 10_000; n++) expect(line.add(waiter(6 / 16, 3_000))).toBe(true);
  expect(line.size).toBe(10_000);
});

test('the line takes requests until they hold 64 MiB together, and again once some have left', () => {
  const line = new WaitingLine(createManualClock());
  const large = waiter(4_000);
  expect([line.add(large), line.add(waiter(96)), line.add(waiter(0.1))]).toEqual([true, true, false]);
  line.remove(large);
  line.remove(large);
  expect([line.add(waiter(4_000)), line.add(waiter(0.1))]).toEqual([true, false]);
});

test('a request is refused at once if the line moves so slowly that its turn would come too late', () => {
  // 100 a second: the turn of the next one comes after 10 s.
  const { line } = movingLine(1_000, 10);
  expect([line.add(waiter(0.1, 3_000)), line.add(waiter(0.1, 11_000)), line.add(waiter(0.1))]).toEqual([
    false,
    true,
    true,
  ]);
});

test('a pause shorter than half a second refuses nobody', () => {
  const { line, move } = movingLine(8_000, 500);
  move(0, 4);
  expect(line.add(waiter(0.1, 3_000))).toBe(true);
  move(500, 1);
  expect(line.add(waiter(0.1, 3_000))).toBe(true);
});

test('a line that has become slow refuses requests that would come too late after a second', () => {
  const { line, move } = movingLine(8_000, 500);
  move(100, 15);
  expect(line.add(waiter(0.1, 3_000))).toBe(false);
});

test('a line in which nothing has moved yet refuses nobody for its length', () => {
  const clock = createManualClock();
  const line = new WaitingLine(clock);
  for (let n = 0; n < 9_000; n++) line.add(waiter(0.1, 3_000));
  clock.advance(2_000);
  expect(line.add(waiter(0.1, 3_000))).toBe(true);
});

test('what was measured before the line was empty does not count for the next one', () => {
  const { line } = movingLine(100, 10);
  while (line.size > 0) line.take();
  for (let n = 0; n < 5_000; n++) expect(line.add(waiter(0.1, 3_000))).toBe(true);
});

test('requests have their turn in the order in which they came, whichever of them leave', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('add', 'take', 'leave'), { maxLength: 200 }),
      fc.nat(),
      (acts, seed) => {
        const line = new WaitingLine(createManualClock());
        const expected: Waiter[] = [];
        for (const [index, act] of acts.entries()) {
          if (act === 'add') {
            const one = waiter();
            line.add(one);
            expected.push(one);
          } else if (act === 'take') expect(line.take()).toBe(expected.shift());
          else {
            const [left] = expected.splice((seed + index) % (expected.length + 1), 1);
            if (left) line.remove(left);
          }
          expect(line.size).toBe(expected.length);
        }
      },
    ),
  );
});

test('one request in five may be sent once more, beyond a reserve for those that one address held up', () => {
  const budget = createRetryBudget();
  let spent = 0;
  while (budget.spend()) spent++;
  expect(spent).toBe(128);
  let again = 0;
  for (let request = 0; request < 1_000; request++) {
    budget.earn();
    if (budget.spend()) again++;
  }
  expect(again).toBeGreaterThan(190);
  expect(again).toBeLessThanOrEqual(200);
});

test('quiet hours do not raise the retry budget above its reserve', () => {
  const budget = createRetryBudget();
  for (let request = 0; request < 100_000; request++) budget.earn();
  let spent = 0;
  while (budget.spend()) spent++;
  expect(spent).toBe(128);
});
