import { expect, test } from 'vitest';
import { reportRevocations, reportWorkers } from './report-workers.ts';

const sample = { connections: 64, p99Ms: 4, serverMicros: 30, loadMicros: 10 };

test('the rate of workers is compared with that of one process, and the share of the load is that of all CPU time', () => {
  const samples = [1, 2, 3].flatMap((factor) => [
    { ...sample, node: 'one process', requestsPerSecond: 1_000 * factor },
    { ...sample, node: '4 workers', requestsPerSecond: 2_500 * factor },
  ]);
  const [, , one, workers] = reportWorkers(samples).split('\n');
  expect(one).toBe('| one process | 64 | 2,000 | 1.00 | 30.0 | on other cores | 4.0 |');
  expect(workers).toBe('| 4 workers | 64 | 5,000 | 2.50 | 30.0 | 25 % of the time | 4.0 |');
});

test('a key that was served after the answer to a revocation is shown', () => {
  const revocation = { answeredMs: 10, refusedMs: 12, afterAnswerMs: 2, servedAfter: 0 };
  const found = reportRevocations([revocation, { ...revocation, refusedMs: 40, servedAfter: 1 }]);
  expect(found).toContain('| the request until the last worker has answered 403 | 12.0 | 40.0 | 40.0 |');
  expect(found).toContain('sent after the answer: 1.');
});
