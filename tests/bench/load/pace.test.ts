import { expect, test } from 'vitest';
import { byTicks, oneByOne } from './pace.ts';

test.each([
  { name: 'by ticks', pace: byTicks },
  { name: 'one by one', pace: oneByOne },
])(
  'a pace $name makes every call that is ordered, and makes it no earlier than it is due',
  async ({ pace }) => {
    const startedAtMs = performance.now();
    const atMs: number[] = [];
    await pace(100, 1_000, () => atMs.push(performance.now() - startedAtMs));
    expect(atMs).toHaveLength(100);
    for (const [n, ms] of atMs.entries()) expect(ms).toBeGreaterThan(n - 1);
  },
);
