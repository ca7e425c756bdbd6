import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Waiter, WaitingLine } from './waiting-line.ts';

const kib = 1_024;
const waiter = (bytes = 8 * kib): Waiter => ({ bytes: () => bytes, admit() {}, refuse() {} });

test('ten thousand viewers whose requests take 6 KiB each can wait at once', () => {
  const line = new WaitingLine();
  for (let n = 0; n < 10_000; n++) expect(line.add(waiter(6 * kib))).toBe(true);
  expect(line.size).toBe(10_000);
});

test('the line takes requests until they hold 64 MiB together, and again once some have left', () => {
  const line = new WaitingLine();
  const large = waiter(64_000 * kib);
  expect([line.add(large), line.add(waiter(1_536 * kib)), line.add(waiter(1))]).toEqual([true, true, false]);
  line.remove(large);
  line.remove(large);
  expect([line.add(waiter(64_000 * kib)), line.add(waiter(1))]).toEqual([true, false]);
});

test('requests have their turn in the order in which they came, whichever of them leave', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('add', 'take', 'leave'), { maxLength: 200 }),
      fc.nat(),
      (acts, seed) => {
        const line = new WaitingLine();
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
