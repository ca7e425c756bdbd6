import { expect, it } from 'vitest';
import { metricsIn } from './rules.ts';

it.each([
  ['sum by (job, le) (rate(a_seconds_bucket{b="c"}[5m])) > 0.1', ['a_seconds']],
  ['x:y:rate5m > 14.4 * 0.001\nand on (job) increase(b_total[1h]) >= 3', ['x:y:rate5m', 'b_total']],
  ['changes(start_time{c=~"d(e|f)"}[15m]) > 2 unless absent(up)', ['start_time', 'up']],
])('the expression %j reads %j', (expr, metrics) => {
  expect(metricsIn(expr)).toEqual(metrics);
});
