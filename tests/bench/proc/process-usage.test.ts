import { expect, test } from 'vitest';
import { parseCpuTimes } from './process-usage.ts';

test('a process name with spaces and brackets does not shift the fields of its stat', () => {
  const rest = 'S 1 1 1 0 -1 4194304 101 0 0 0 120 34 0 0 20 0 11 0 1155817 3133440 394';
  expect(parseCpuTimes(`42 (a) S 1 (b ) ${rest}`)).toEqual({ userMs: 1_200, systemMs: 340 });
});
