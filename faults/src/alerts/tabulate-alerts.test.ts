import { expect, test } from 'vitest';
import { tabulate } from './tabulate-alerts.ts';

test('a row tells the alerts that had to fire from those that may, and how soon all ended', () => {
  const table = tabulate(
    ['Redis slow by 1 s', 'Redis killed', 'nothing of this list'],
    new Map([
      ['Redis slow by 1 s', { fired: ['LatchkeyRedisDown'], calmAfterSeconds: 4.4 }],
      ['Redis killed', { fired: ['LatchkeyRedisDown'], calmAfterSeconds: null }],
      ['nothing of this list', { fired: [], calmAfterSeconds: 0 }],
    ]),
  );
  expect(table).toContain('| Redis slow by 1 s | none | `RedisDown` | 4 s |');
  expect(table).toContain('| Redis killed | `RedisDown` |  | not ended |');
  expect(table).toContain('| nothing of this list | none |  |  |');
});
