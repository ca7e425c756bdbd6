import { expect, test } from 'vitest';
import { parseAllowedCores, planCores } from './cores.ts';

test('the list of allowed cores is read with its ranges', () => {
  expect(parseAllowedCores('Name:\tnode\nCpus_allowed_list:\t0-2,5\nMems_allowed_list:\t0\n')).toEqual([
    0, 1, 2, 5,
  ]);
  expect(parseAllowedCores('Cpus_allowed_list:\t3\n')).toEqual([3]);
});

test('the measured server never shares its core with the load', () => {
  expect(planCores([0])).toBeNull();
  expect(planCores([2, 3])).toEqual({ server: [2], upstream: [3], load: [3], others: [3] });
  expect(planCores([0, 1, 2])).toEqual({ server: [0], upstream: [1], load: [2], others: [1] });
  expect(planCores([0, 1, 2, 3])).toEqual({ server: [0], upstream: [1], load: [3], others: [2] });
});
