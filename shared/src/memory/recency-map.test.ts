import { beforeEach, expect, test } from 'vitest';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { RecencyMap } from './recency-map.ts';

let clock: ManualClock;
let map: RecencyMap<object>;
beforeEach(() => {
  clock = createManualClock();
  // No clock of a process says 0, which the cache would take for no time.
  clock.advance(1);
  map = new RecencyMap(1_000, clock);
});

const add = (key: string, size = 10) => map.set(key, {}, { size });

test('the entries of a map never exceed its limit in bytes, whatever their sizes', () => {
  for (let i = 0; i < 5_000; i++) {
    add(`key ${i % 700}`, 1 + ((i * 37) % 300));
    if (i % 3 === 0) map.get(`key ${(i * 7) % 700}`);
    if (i % 11 === 0) map.delete(`key ${(i * 5) % 700}`);
    expect(map.bytes).toBeLessThanOrEqual(1_000);
  }
  expect(map.size).toBeGreaterThan(2);
  map.clear();
  expect([map.size, map.bytes]).toEqual([0, 0]);
});

test("an entry larger than the map's limit is not kept, and the entry that it replaces is removed", () => {
  add('key');
  add('key', 1_001);
  expect([map.get('key'), map.bytes]).toEqual([undefined, 0]);
});

test('a flood of keys that are used once evicts no key that is in use', () => {
  const used = Array.from({ length: 50 }, (_, i) => `viewer ${i}`);
  for (const key of used) add(key);
  for (let i = 0; i < 10_000; i++) {
    add(`flood ${i}`);
    if (i % 10 === 0)
      expect(
        used.filter((key) => !map.get(key)),
        `at ${i}`,
      ).toEqual([]);
  }
});

test('entries that were unused for five minutes are dropped as others come, and those in use stay', () => {
  for (let i = 0; i < 50; i++) add(`ended ${i}`);
  add('playing');
  for (let minute = 0; minute < 10; minute++) {
    clock.advance(60_000);
    expect(map.get('playing')).toBeDefined();
    for (let i = 0; i < 4; i++) add(`new ${minute} ${i}`, 1);
  }
  expect(map.get('ended 0')).toBeUndefined();
  for (let i = 0; i < 40; i++) add(`newer ${i}`, 1);
  expect(map.get('ended 49')).toBeUndefined();
  expect(map.get('playing')).toBeDefined();
});
