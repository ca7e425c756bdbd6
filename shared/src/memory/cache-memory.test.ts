import { describe, expect, test } from 'vitest';
import { boundCaches, planCaches } from './cache-memory.ts';

const mib = 1_024 * 1_024;

describe('what the caches together may take', () => {
  // Heap limits as Node 24 reports them.
  test.each([
    ['a container of 512 MiB', 259, 512, 80],
    ['a container of 1 GiB', 560, 1_024, 192],
    ['a container of 256 MiB, whose heap V8 makes larger than that', 259, 256, 51],
    ['a container of 512 MiB that V8 was given too much of', 1_024, 512, 102],
    ['a machine of 24 GiB with a heap of 128 MiB', 320, 24_576, 38],
    ['a machine of 24 GiB, where more would only make collections longer', 4_288, 24_576, 512],
    ['a heap that holds hardly the program', 232, 24_576, 4],
  ])('is a part of the memory of %s', (_what, heapMib, memoryMib, mayMib) => {
    const may = boundCaches({ heapLimitBytes: heapMib * mib, memoryBytes: memoryMib * mib });
    expect(Math.abs(may / mib - mayMib)).toBeLessThan(5);
  });

  test('is divided among them without a rest that counts', () => {
    const { paces, importedKeys, ...others } = planCaches(100 * mib);
    const plan = Object.values(others);
    expect(plan.reduce((sum, part) => sum + part)).toBeCloseTo(100 * mib, -1);
    expect(Math.min(...plan)).toBeGreaterThan(mib);
    // Not part of the sum: most contents have no pace.
    expect(paces).toBe(40 * mib);
  });
});
