import { expect, test } from 'vitest';
import type { UsageReport } from '../contracts/index.ts';
import { UsageCounts } from '../statistics/index.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createUsageReporter } from './usage-reports.ts';

const ada: Parameters<UsageCounts['count']> = ['keys', null, 'film', 'ada', null];

function setUp() {
  const clock = createManualClock();
  const counts = new UsageCounts(clock);
  const state = { isAway: false };
  const reports: UsageReport[] = [];
  const faults: unknown[] = [];
  const reporter = createUsageReporter({
    counts,
    instance: 'a'.repeat(32),
    async record(report) {
      reports.push(report);
      if (state.isAway) throw new Error('the answer was lost');
    },
    onFault: (error) => void faults.push(error),
  });
  return { clock, counts, reporter, reports, faults, state };
}

test('a report whose answer was lost is sent again with its own id and its own minute', async () => {
  const { clock, counts, reporter, reports, faults, state } = setUp();
  counts.count(...ada);
  clock.advance(60_000);
  state.isAway = true;
  await reporter.flush();
  clock.advance(600_000);
  state.isAway = false;
  await reporter.flush();
  await reporter.flush();
  expect(faults).toHaveLength(1);
  expect(reports).toHaveLength(2);
  expect(reports[1]).toEqual(reports[0]);
});

test('the end of a process reports the minute under way', async () => {
  const { counts, reporter, reports } = setUp();
  counts.count(...ada);
  await reporter.flush();
  expect(reports).toEqual([]);
  await reporter.end();
  expect(reports.map(({ counts: [total] }) => total?.served)).toEqual([1]);
});

test('a process without requests sends no report', async () => {
  const { clock, reporter, reports } = setUp();
  clock.advance(3_600_000);
  await reporter.flush();
  await reporter.end();
  expect(reports).toEqual([]);
});
