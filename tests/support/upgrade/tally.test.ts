import { expect, it } from 'vitest';
import { createTally } from './tally.ts';

it('the tally counts tests and checks together, and a run without a passed test is a failure', () => {
  const said: string[] = [];
  const tally = createTally((line) => said.push(line));
  tally.add('SQLite', { passed: 3, failed: 1, skipped: ['keys.test.ts > slow'] }, 1);
  tally.add('nothing', { passed: 0, failed: 0, skipped: [] }, 0);
  tally.add('broken', { passed: 2, failed: 0, skipped: [] }, 1);
  tally.check('a revocation holds', true);
  tally.check('every request', false, '3 not answered');
  tally.skip('Postgres', 'needs Postgres');
  expect(tally.counts).toEqual({
    passed: 6,
    failed: 4,
    skipped: ['SQLite > keys.test.ts > slow', 'Postgres (needs Postgres)'],
  });
  expect(said.map((line) => line[0]).join('')).toBe('✗✗✗✓✗');
});
