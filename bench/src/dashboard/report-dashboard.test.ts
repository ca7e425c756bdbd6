import { expect, it } from 'vitest';
import { isQuick, reportDashboard } from './report-dashboard.ts';

const quick = { name: 'quick', tookMs: [100, 120.4, 140], fault: null };
const late = { name: 'late', tookMs: [100, 100, 301], fault: null };
const broken = { name: 'broken', tookMs: [], fault: 'it was not shown' };

it('an interaction is not quick if one of its rounds is late or never ends', () => {
  expect([quick, late, broken].map(isQuick)).toEqual([true, false, false]);
});

it('the report of the dashboard has the median and the maximum of each interaction, and what is wrong with it', () => {
  const report = reportDashboard('SQLite', [quick, late, broken]);
  expect(report).toContain('| quick | 120 ms | 140 ms |  |');
  expect(report).toContain('| late | 100 ms | 301 ms | over 300 ms |');
  expect(report).toContain('| broken | – | – | it was not shown |');
  expect(report).toContain('2 not within 300 ms.');
  expect(reportDashboard('SQLite', [quick])).toContain('All within 300 ms.');
});
