import { expect, test } from 'vitest';
import { reportRevocations } from './report-workers.ts';

test('a key that was served after the answer to a revocation is shown', () => {
  const revocation = { answeredMs: 10, refusedMs: 12, afterAnswerMs: 2, servedAfter: 0 };
  const found = reportRevocations([revocation, { ...revocation, refusedMs: 40, servedAfter: 1 }]);
  expect(found).toContain('| the request until the last worker has answered 403 | 12.0 | 40.0 | 40.0 |');
  expect(found).toContain('sent after the answer: 1.');
});
