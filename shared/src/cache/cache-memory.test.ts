import { describe, expect, test } from 'vitest';
import { boundCaches, planCaches } from './cache-memory.ts';

const mib = 1_024 * 1_024;
/** What Node says where no container bounds it (Linux, control groups version 1). */
const unbounded = 2 ** 64;

describe('what the caches together may take', () => {
  test('is about a third of V8’s heap', () => {
    expect(boundCaches({ heapLimitBytes: 300 * mib, containerBytes: unbounded })).toBe(105 * mib);
    expect(boundCaches({ heapLimitBytes: 300 * mib, containerBytes: 0 })).toBe(105 * mib);
  });

  test('is a quarter of the container where V8 was given all of it', () => {
    expect(boundCaches({ heapLimitBytes: 512 * mib, containerBytes: 512 * mib })).toBe(128 * mib);
  });

  test('is neither nothing on a tiny machine nor endless on a huge one', () => {
    expect(boundCaches({ heapLimitBytes: mib, containerBytes: 0 })).toBe(4 * mib);
    expect(boundCaches({ heapLimitBytes: 64_000 * mib, containerBytes: 0 })).toBe(512 * mib);
  });

  test('is divided among them without a rest that counts', () => {
    const plan = Object.values(planCaches(100 * mib));
    expect(plan.reduce((sum, part) => sum + part)).toBeCloseTo(100 * mib, -1);
    expect(Math.min(...plan)).toBeGreaterThan(mib);
  });
});
